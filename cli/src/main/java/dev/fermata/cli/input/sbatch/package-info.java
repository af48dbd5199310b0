/** Scripts written for Slurm, read as jobs. */
@NullMarked
package dev.fermata.cli.input.sbatch;

import org.jspecify.annotations.NullMarked;
