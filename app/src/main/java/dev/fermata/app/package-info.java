/** The command line: reads what was typed, calls the other modules, prints what they answer. */
@NullMarked
package dev.fermata.app;

import org.jspecify.annotations.NullMarked;
