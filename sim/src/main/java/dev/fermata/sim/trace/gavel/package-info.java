/** The traces of Gavel's scheduler. */
@NullMarked
package dev.fermata.sim.trace.gavel;

import org.jspecify.annotations.NullMarked;
