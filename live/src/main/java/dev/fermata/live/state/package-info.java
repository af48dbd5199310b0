/** The live jobs, their attempts and the GPUs they hold: projections of the history that the scheduler loop keeps. */
@NullMarked
package dev.fermata.live.state;

import org.jspecify.annotations.NullMarked;
