/** A summary of a trace for people. */
@NullMarked
package dev.fermata.sim.trace.inspect;

import org.jspecify.annotations.NullMarked;
