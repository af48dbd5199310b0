/** Executes experiments: one run, or a matrix of runs on several threads. */
@NullMarked
package dev.fermata.insight.experiment;

import org.jspecify.annotations.NullMarked;
