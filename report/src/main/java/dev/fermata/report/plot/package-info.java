/** Drawings described once, in few primitives, and rendered as SVG into a page or as PNG into a file. */
@NullMarked
package dev.fermata.report.plot;

import org.jspecify.annotations.NullMarked;
