/** The command line: parses arguments, calls the other modules, prints results. */
@NullMarked
package dev.fermata.cli;

import org.jspecify.annotations.NullMarked;
