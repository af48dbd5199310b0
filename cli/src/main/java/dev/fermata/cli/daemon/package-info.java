/** The daemon as one process: its folder, its log, and its parts put together. */
@NullMarked
package dev.fermata.cli.daemon;

import org.jspecify.annotations.NullMarked;
