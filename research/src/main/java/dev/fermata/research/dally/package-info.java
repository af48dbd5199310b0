/** Dally's experiment: delay scheduling against policies that never wait, always wait, or wait for some models. */
@NullMarked
package dev.fermata.research.dally;

import org.jspecify.annotations.NullMarked;
