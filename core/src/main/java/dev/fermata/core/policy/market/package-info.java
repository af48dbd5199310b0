/**
 * Many jobs, many workers, one division: how many workers of which type each job gets. Pure arithmetic; it uses no clock, no queue
 * and no cluster.
 */
@NullMarked
package dev.fermata.core.policy.market;

import org.jspecify.annotations.NullMarked;
