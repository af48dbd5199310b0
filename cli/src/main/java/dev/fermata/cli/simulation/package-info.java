/** The commands of the simulator. */
@NullMarked
package dev.fermata.cli.simulation;

import org.jspecify.annotations.NullMarked;
