/** Jobs with their true durations: generated from a seed, or read from a trace. */
@NullMarked
package dev.fermata.sim.workload;

import org.jspecify.annotations.NullMarked;
