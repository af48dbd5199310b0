/** FitGpp's own experiment: what trial jobs gain and what batch jobs pay. */
@NullMarked
package dev.fermata.research.fitgpp;

import org.jspecify.annotations.NullMarked;
