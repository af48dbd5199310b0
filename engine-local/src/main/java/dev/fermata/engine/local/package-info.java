/** The local engine: jobs are processes of this machine, supervised by a shell script that outlives the daemon. */
@NullMarked
package dev.fermata.engine.local;

import org.jspecify.annotations.NullMarked;
