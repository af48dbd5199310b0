/** Alibaba PAI, 2020: tables of jobs and tasks without headers. */
@NullMarked
package dev.fermata.sim.trace.pai;

import org.jspecify.annotations.NullMarked;
