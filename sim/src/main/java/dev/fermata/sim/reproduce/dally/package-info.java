/** Dally's experiment: delay scheduling against those who never wait, always wait, or wait for some models. */
@NullMarked
package dev.fermata.sim.reproduce.dally;

import org.jspecify.annotations.NullMarked;
