/** Xion: when does a preemption pay? */
@NullMarked
package dev.fermata.research.xion;

import org.jspecify.annotations.NullMarked;
