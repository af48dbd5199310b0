/** Plays recent submissions again under other orders, to choose the order that would have served them best. */
@NullMarked
package dev.fermata.core.policy.rehearsal;

import org.jspecify.annotations.NullMarked;
