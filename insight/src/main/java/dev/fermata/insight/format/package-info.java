/** Numbers and tables for people. */
@NullMarked
package dev.fermata.insight.format;

import org.jspecify.annotations.NullMarked;
