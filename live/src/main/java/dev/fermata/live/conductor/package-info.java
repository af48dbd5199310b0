/** The one thread that owns the scheduler, and what others may ask of it. */
@NullMarked
package dev.fermata.live.conductor;

import org.jspecify.annotations.NullMarked;
