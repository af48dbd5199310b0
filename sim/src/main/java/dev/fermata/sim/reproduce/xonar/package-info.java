/** Xonar: pairs of jobs on shared GPUs, within memory. */
@NullMarked
package dev.fermata.sim.reproduce.xonar;

import org.jspecify.annotations.NullMarked;
