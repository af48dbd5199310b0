/** The commands of the daemon's clients. They use its API only. */
@NullMarked
package dev.fermata.cli.remote;

import org.jspecify.annotations.NullMarked;
