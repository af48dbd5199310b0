/** The preemption ledger of a live history: what every pause, and every one that was declined, cost and gained. */
@NullMarked
package dev.fermata.live.ledger;

import org.jspecify.annotations.NullMarked;
