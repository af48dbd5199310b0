/** Virtual time: the driver that turns the ring. */
@NullMarked
package dev.fermata.sim.kernel;

import org.jspecify.annotations.NullMarked;
