/** The accounting of attempts, the same for every engine: raw observations in, usage, outcome and reports out. */
@NullMarked
package dev.fermata.live.attempt;

import org.jspecify.annotations.NullMarked;
