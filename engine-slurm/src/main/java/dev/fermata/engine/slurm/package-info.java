/** The engine that runs jobs on Slurm. */
@NullMarked
package dev.fermata.engine.slurm;

import org.jspecify.annotations.NullMarked;
