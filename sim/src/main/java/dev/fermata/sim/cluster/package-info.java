/** Clusters as users write them on a command line. */
@NullMarked
package dev.fermata.sim.cluster;

import org.jspecify.annotations.NullMarked;
