/** The daemon's command and the verbs of its clients, which talk to its API only. */
@NullMarked
package dev.fermata.app.cli.daemon;

import org.jspecify.annotations.NullMarked;
