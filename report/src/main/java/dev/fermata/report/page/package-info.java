/** The HTML pages of results. */
@NullMarked
package dev.fermata.report.page;

import org.jspecify.annotations.NullMarked;
