/** The combined policy on the mixed default workload, with durations known, wrong and unknown. */
@NullMarked
package dev.fermata.research.fermata;

import org.jspecify.annotations.NullMarked;
