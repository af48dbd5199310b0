/** The command {@code fermata reproduce}. */
@NullMarked
package dev.fermata.research.command;

import org.jspecify.annotations.NullMarked;
