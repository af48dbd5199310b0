/** Fermata's own trace format, CSV with a header. */
@NullMarked
package dev.fermata.sim.trace.fermata;

import org.jspecify.annotations.NullMarked;
