/** A whole daemon in virtual time, with a simulated engine. */
@NullMarked
package dev.fermata.cli.virtual;

import org.jspecify.annotations.NullMarked;
