/** Policies that answer everything at once. */
@NullMarked
package dev.fermata.core.policy.whole;

import org.jspecify.annotations.NullMarked;
