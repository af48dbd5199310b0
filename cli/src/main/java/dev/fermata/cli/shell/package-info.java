/** Completion for shells and manual pages, made from the commands themselves. */
@NullMarked
package dev.fermata.cli.shell;

import org.jspecify.annotations.NullMarked;
