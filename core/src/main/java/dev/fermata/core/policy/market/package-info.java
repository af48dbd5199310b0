/**
 * Many jobs, many workers, one division: who gets how many workers of which type. Pure arithmetic; knows no clock, no queue
 * and no cluster.
 */
@NullMarked
package dev.fermata.core.policy.market;

import org.jspecify.annotations.NullMarked;
