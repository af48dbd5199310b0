package dev.fermata.sim.forecast;

import dev.fermata.core.model.Job;

/** A job that came so long ago, and what would be believed of another like it. */
public record Arrival(Job job, Belief belief, long agoMillis) {}
