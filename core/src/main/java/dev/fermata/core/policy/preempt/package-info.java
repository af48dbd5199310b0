/** Preemption rules: which jobs may be preempted for which. */
@NullMarked
package dev.fermata.core.policy.preempt;

import org.jspecify.annotations.NullMarked;
