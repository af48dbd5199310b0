/** The HTTP API: REST, events, metrics. */
@NullMarked
package dev.fermata.live.api;

import org.jspecify.annotations.NullMarked;
