/** What the shared loop remembers between decisions: waiting jobs by demand and rank, running jobs by rank. */
@NullMarked
package dev.fermata.core.policy.queue;

import org.jspecify.annotations.NullMarked;
