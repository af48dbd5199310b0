/** Job files and Slurm scripts as users write them. */
@NullMarked
package dev.fermata.cli.input;

import org.jspecify.annotations.NullMarked;
