/** Finding out which format a file has, and reading a file or a folder of them. */
@NullMarked
package dev.fermata.sim.trace.read;

import org.jspecify.annotations.NullMarked;
