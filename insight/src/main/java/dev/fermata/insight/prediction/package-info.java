/** Predicts starts: a live state is continued in several scenarios with different possible run times. */
@NullMarked
package dev.fermata.insight.prediction;

import org.jspecify.annotations.NullMarked;
