/** The scheduler loop: its thread, its scheduling cycle, and what a cycle writes to the history. */
@NullMarked
package dev.fermata.live.loop;

import org.jspecify.annotations.NullMarked;
