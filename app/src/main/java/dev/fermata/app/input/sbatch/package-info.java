/** Scripts written for Slurm, read as jobs. */
@NullMarked
package dev.fermata.app.input.sbatch;

import org.jspecify.annotations.NullMarked;
