/** Measures the program itself: speed of the simulator and latency of decisions. */
@NullMarked
package dev.fermata.app.bench;

import org.jspecify.annotations.NullMarked;
