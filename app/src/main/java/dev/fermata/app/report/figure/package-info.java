/** The pictures of a report: what runs looked like, each as a plot that every backend can render. */
@NullMarked
package dev.fermata.app.report.figure;

import org.jspecify.annotations.NullMarked;
