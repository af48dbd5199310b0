/** Xion: when is a pause worth it? */
@NullMarked
package dev.fermata.sim.reproduce.xion;

import org.jspecify.annotations.NullMarked;
