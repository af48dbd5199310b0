/** Finished runs in a file, so that a comparison that was cut off can go on. */
@NullMarked
package dev.fermata.insight.saved;

import org.jspecify.annotations.NullMarked;
