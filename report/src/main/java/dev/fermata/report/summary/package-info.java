/** Rows and tables of single runs. */
@NullMarked
package dev.fermata.report.summary;

import org.jspecify.annotations.NullMarked;
