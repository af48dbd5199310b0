/** Turns what people write (specs, files, units) into what the simulator takes; every mistake is named with a way out. */
@NullMarked
package dev.fermata.app.input;

import org.jspecify.annotations.NullMarked;
