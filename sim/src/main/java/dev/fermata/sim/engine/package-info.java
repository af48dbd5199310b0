/** The simulated outside: it alone knows how long jobs really run, and what pauses, neighbours and faults do. */
@NullMarked
package dev.fermata.sim.engine;

import org.jspecify.annotations.NullMarked;
