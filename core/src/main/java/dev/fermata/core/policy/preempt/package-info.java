/** At whose cost: who may be asked to leave for whom. */
@NullMarked
package dev.fermata.core.policy.preempt;

import org.jspecify.annotations.NullMarked;
