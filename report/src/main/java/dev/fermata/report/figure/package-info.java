/** The figures of a report, each a plot that every backend can render. */
@NullMarked
package dev.fermata.report.figure;

import org.jspecify.annotations.NullMarked;
