/** What tables have in common whatever their columns mean: rows, cells, numbers, times of day. */
@NullMarked
package dev.fermata.sim.trace.text;

import org.jspecify.annotations.NullMarked;
