/**
 * What is known of how models train: time by GPU type and batch, memory, gradients, preemption and load costs. It also
 * chooses models for jobs.
 */
@NullMarked
package dev.fermata.sim.profile;

import org.jspecify.annotations.NullMarked;
