/** Metrics of the daemon in the Prometheus format. */
@NullMarked
package dev.fermata.live.metrics;

import org.jspecify.annotations.NullMarked;
