/** Shadow mode: the jobs of another scheduler, decided on as if they were submitted here, and never touched. */
@NullMarked
package dev.fermata.live.shadow;

import org.jspecify.annotations.NullMarked;
