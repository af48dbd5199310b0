/**
 * Turns what people write (specs, files, units) into what the simulator takes; every error message says how to fix the
 * input.
 */
@NullMarked
package dev.fermata.insight.input;

import org.jspecify.annotations.NullMarked;
