/** The preemption log of a live history: the cost and gain of every preemption, and the declined ones. */
@NullMarked
package dev.fermata.live.preemptions;

import org.jspecify.annotations.NullMarked;
