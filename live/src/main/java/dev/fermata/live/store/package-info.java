/** The durable history: everything the daemon has acknowledged, in SQLite or PostgreSQL. */
@NullMarked
package dev.fermata.live.store;

import org.jspecify.annotations.NullMarked;
