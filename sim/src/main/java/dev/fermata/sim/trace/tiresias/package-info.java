/** The traces of Tiresias' simulator. */
@NullMarked
package dev.fermata.sim.trace.tiresias;

import org.jspecify.annotations.NullMarked;
