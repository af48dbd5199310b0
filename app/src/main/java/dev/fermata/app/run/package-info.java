/** Carries out what was asked: one run, or a whole matrix of them on several threads. */
@NullMarked
package dev.fermata.app.run;

import org.jspecify.annotations.NullMarked;
