/** The commands of {@code fermata bench}. */
@NullMarked
package dev.fermata.bench.command;

import org.jspecify.annotations.NullMarked;
