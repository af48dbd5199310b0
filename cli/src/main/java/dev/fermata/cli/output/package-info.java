/** Progress and status lines on a terminal. */
@NullMarked
package dev.fermata.cli.output;

import org.jspecify.annotations.NullMarked;
