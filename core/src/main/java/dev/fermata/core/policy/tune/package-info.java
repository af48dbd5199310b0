/** What policies learn from the jobs they saw. */
@NullMarked
package dev.fermata.core.policy.tune;

import org.jspecify.annotations.NullMarked;
