/** What Prometheus is told. */
@NullMarked
package dev.fermata.live.metrics;

import org.jspecify.annotations.NullMarked;
