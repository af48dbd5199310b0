/** The outside that runs real jobs: the port, and below it the engines. */
@NullMarked
package dev.fermata.live.engine;

import org.jspecify.annotations.NullMarked;
