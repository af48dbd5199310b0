/** How the program ends: exit codes, error messages, and Ctrl-C. */
@NullMarked
package dev.fermata.insight.exit;

import org.jspecify.annotations.NullMarked;
