/** What a run looked like: distributions, series, pauses and a chart of the GPUs, small whatever the length of the run. */
@NullMarked
package dev.fermata.sim.portrait;

import org.jspecify.annotations.NullMarked;
