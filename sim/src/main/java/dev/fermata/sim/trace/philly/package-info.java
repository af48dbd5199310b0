/** Microsoft Philly 2017: the table of jobs and the scheduler's own log. */
@NullMarked
package dev.fermata.sim.trace.philly;

import org.jspecify.annotations.NullMarked;
