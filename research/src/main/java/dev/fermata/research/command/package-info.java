/** The commands {@code fermata reproduce} and {@code fermata judge}. */
@NullMarked
package dev.fermata.research.command;

import org.jspecify.annotations.NullMarked;
