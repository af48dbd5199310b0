/** JMH benchmarks of the inner loops; end-to-end figures come from {@code ./fermata bench}. */
@NullMarked
package dev.fermata.bench;

import org.jspecify.annotations.NullMarked;
