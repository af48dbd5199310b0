/** SenseTime's Helios, 2020. */
@NullMarked
package dev.fermata.sim.trace.helios;

import org.jspecify.annotations.NullMarked;
