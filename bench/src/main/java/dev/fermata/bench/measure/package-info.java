/** Measures the program itself: speed of the simulator and latency of decisions. */
@NullMarked
package dev.fermata.bench.measure;

import org.jspecify.annotations.NullMarked;
