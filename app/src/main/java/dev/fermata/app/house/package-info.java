/** The daemon as one process: its folder, its log, and its parts put together. */
@NullMarked
package dev.fermata.app.house;

import org.jspecify.annotations.NullMarked;
