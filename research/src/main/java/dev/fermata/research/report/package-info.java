/** Reproductions as text, JSON and pages. */
@NullMarked
package dev.fermata.research.report;

import org.jspecify.annotations.NullMarked;
