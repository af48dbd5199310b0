package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;

/** What the engine is told to do. It answers with events. */
public sealed interface Command {
    long jobId();

    int attempt();

    record Start(long jobId, int attempt, Allocation allocation, boolean resumed) implements Command {}

    /** Checkpoint and leave within the grace period; killed after it. */
    record Pause(long jobId, int attempt, long graceMillis) implements Command {}

    record Kill(long jobId, int attempt) implements Command {}
}
