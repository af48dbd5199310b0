/** Reading and writing traces; one package per format. */
@NullMarked
package dev.fermata.sim.trace;

import org.jspecify.annotations.NullMarked;
