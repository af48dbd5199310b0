/** A whole daemon in virtual time, with a simulated engine. */
@NullMarked
package dev.fermata.bench.virtual;

import org.jspecify.annotations.NullMarked;
