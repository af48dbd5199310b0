/** Exclusive locks between the processes of one machine. */
@NullMarked
package dev.fermata.live.lock;

import org.jspecify.annotations.NullMarked;
