/**
 * What reports draw of a run: distributions, series, preemptions and a chart of the GPUs, small whatever the length of
 * the run.
 */
@NullMarked
package dev.fermata.sim.recording;

import org.jspecify.annotations.NullMarked;
