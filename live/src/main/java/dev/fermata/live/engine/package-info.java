/** The engine port: how the daemon runs jobs. */
@NullMarked
package dev.fermata.live.engine;

import org.jspecify.annotations.NullMarked;
