/** What a person wants to know first about a trace. */
@NullMarked
package dev.fermata.sim.trace.inspect;

import org.jspecify.annotations.NullMarked;
