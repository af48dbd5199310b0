/** Finished runs in a file, so that a comparison that was cut off can go on. */
@NullMarked
package dev.fermata.app.save;

import org.jspecify.annotations.NullMarked;
