/** Knobs that set themselves from what happened. */
@NullMarked
package dev.fermata.core.policy.tune;

import org.jspecify.annotations.NullMarked;
