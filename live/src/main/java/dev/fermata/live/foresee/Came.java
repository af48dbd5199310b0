package dev.fermata.live.foresee;

import dev.fermata.core.model.Job;

/** A job that came so long ago, and what would be thought of another like it. */
public record Came(Job job, Guess guess, long agoMillis) {}
