/** The traces of Muri's simulator. */
@NullMarked
package dev.fermata.sim.trace.muri;

import org.jspecify.annotations.NullMarked;
