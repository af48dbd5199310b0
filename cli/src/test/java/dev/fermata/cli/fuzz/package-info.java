/** Input that no user would write: readers and the daemon's HTTP API under a fuzzer. */
@NullMarked
package dev.fermata.cli.fuzz;

import org.jspecify.annotations.NullMarked;
