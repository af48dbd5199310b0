/** The commands and their flags. */
@NullMarked
package dev.fermata.app.cli;

import org.jspecify.annotations.NullMarked;
