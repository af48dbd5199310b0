/**
 * The simulated engine: it alone knows how long jobs really run, and the effects of preemption, co-located jobs and
 * faults.
 */
@NullMarked
package dev.fermata.sim.engine;

import org.jspecify.annotations.NullMarked;
