@NullMarked
package dev.fermata.web;

import org.jspecify.annotations.NullMarked;
