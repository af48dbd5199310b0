/** The domain as immutable values: topology, jobs, placements, and the formulas that follow from them. */
@NullMarked
package dev.fermata.core.model;

import org.jspecify.annotations.NullMarked;
