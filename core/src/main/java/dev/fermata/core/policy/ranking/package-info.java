/** What the shared loop remembers between decisions: waiting jobs by demand and rank, running jobs by rank. */
@NullMarked
package dev.fermata.core.policy.ranking;

import org.jspecify.annotations.NullMarked;
