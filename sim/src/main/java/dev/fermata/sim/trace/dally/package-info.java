/** The workloads of the Dally authors' simulator. */
@NullMarked
package dev.fermata.sim.trace.dally;

import org.jspecify.annotations.NullMarked;
