/** Which GPUs: placements on what is free, or soon free. */
@NullMarked
package dev.fermata.core.policy.place;

import org.jspecify.annotations.NullMarked;
