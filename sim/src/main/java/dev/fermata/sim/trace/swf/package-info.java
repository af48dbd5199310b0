/** The Standard Workload Format of the Parallel Workloads Archive. */
@NullMarked
package dev.fermata.sim.trace.swf;

import org.jspecify.annotations.NullMarked;
