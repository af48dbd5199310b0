/** The web page of the daemon: static files, and their list. */
@NullMarked
package dev.fermata.web;

import org.jspecify.annotations.NullMarked;
