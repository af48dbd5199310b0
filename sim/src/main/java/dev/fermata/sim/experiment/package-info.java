/** Runs, comparisons and bounds. */
@NullMarked
package dev.fermata.sim.experiment;

import org.jspecify.annotations.NullMarked;
