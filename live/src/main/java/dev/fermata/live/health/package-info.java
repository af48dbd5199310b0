/** The health of the scheduler loop: recorded by its thread, read by every other one. */
@NullMarked
package dev.fermata.live.health;

import org.jspecify.annotations.NullMarked;
