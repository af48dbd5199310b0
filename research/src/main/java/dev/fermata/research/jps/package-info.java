/** JPS: the gap to the exact optimum over a grid of instances, and the policy in simulation. */
@NullMarked
package dev.fermata.research.jps;

import org.jspecify.annotations.NullMarked;
