/** Flags that several commands share. */
@NullMarked
package dev.fermata.cli.option;

import org.jspecify.annotations.NullMarked;
