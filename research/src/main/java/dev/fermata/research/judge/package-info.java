/** Judges the default policy: a fixed matrix of settings, fixed bars, and every result, losses included. */
@NullMarked
package dev.fermata.research.judge;

import org.jspecify.annotations.NullMarked;
