/** The HTTP door: REST, events, metrics. */
@NullMarked
package dev.fermata.live.api;

import org.jspecify.annotations.NullMarked;
