/** The engine for this machine: jobs are processes, watched over by a shell script that outlives the daemon. */
@NullMarked
package dev.fermata.live.engine.local;

import org.jspecify.annotations.NullMarked;
