/** Runs several reproductions and their seeds. */
@NullMarked
package dev.fermata.research.run;

import org.jspecify.annotations.NullMarked;
