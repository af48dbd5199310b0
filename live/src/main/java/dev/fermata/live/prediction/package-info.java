/** Prediction of job starts: its input, its result, and its accuracy. */
@NullMarked
package dev.fermata.live.prediction;

import org.jspecify.annotations.NullMarked;
