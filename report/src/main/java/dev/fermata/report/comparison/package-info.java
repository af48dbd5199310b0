/** Comparisons of runs: fields for scripts, tables and figures for people. */
@NullMarked
package dev.fermata.report.comparison;

import org.jspecify.annotations.NullMarked;
