/** The client of the daemon: its address, the user's token, requests and answers. */
@NullMarked
package dev.fermata.cli.client;

import org.jspecify.annotations.NullMarked;
