/** Estimates of run times, learned from ended jobs. */
@NullMarked
package dev.fermata.core.estimate;

import org.jspecify.annotations.NullMarked;
