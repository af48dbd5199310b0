/** What policies know about remaining work: the truth, the truth with noise, what users declared, or nothing. */
@NullMarked
package dev.fermata.sim.estimate;

import org.jspecify.annotations.NullMarked;
