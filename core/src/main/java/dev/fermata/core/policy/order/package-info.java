/** Job orders: ranks of waiting and running jobs. */
@NullMarked
package dev.fermata.core.policy.order;

import org.jspecify.annotations.NullMarked;
