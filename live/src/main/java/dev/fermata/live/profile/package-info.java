/** Profiles learned from earlier jobs: costs of preemption and loading, step times, memory, co-run speeds. */
@NullMarked
package dev.fermata.live.profile;

import org.jspecify.annotations.NullMarked;
