/** Reports as single HTML files: nothing is loaded from elsewhere, everything is also readable in the dark and on paper. */
@NullMarked
package dev.fermata.report.html;

import org.jspecify.annotations.NullMarked;
