/** Virtual time: the driver of the scheduling cycles. */
@NullMarked
package dev.fermata.sim.kernel;

import org.jspecify.annotations.NullMarked;
