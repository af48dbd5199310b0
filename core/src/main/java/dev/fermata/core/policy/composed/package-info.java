/** The loop that composed policies share, and how it explains what it did not do. */
@NullMarked
package dev.fermata.core.policy.composed;

import org.jspecify.annotations.NullMarked;
