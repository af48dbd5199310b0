/** How the program ends: exit codes, complaints for people, and Ctrl-C. */
@NullMarked
package dev.fermata.app.exit;

import org.jspecify.annotations.NullMarked;
