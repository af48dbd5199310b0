/** Alibaba 2023: pods with shares of GPUs. */
@NullMarked
package dev.fermata.sim.trace.openb;

import org.jspecify.annotations.NullMarked;
