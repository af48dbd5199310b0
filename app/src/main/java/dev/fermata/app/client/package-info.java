/** The way to the daemon: where it is, who one is there, and what it answers. */
@NullMarked
package dev.fermata.app.client;

import org.jspecify.annotations.NullMarked;
