package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import java.util.Map;

/**
 * Why a job is where it is.
 *
 * @param reason a {@link dev.fermata.core.contract.Reason} for pending jobs, else the state's own word
 * @param message one sentence
 * @param evidence numbers with their unit in the name, in the order they should be read
 * @param unblockedBy what would let it start, one sentence; empty for jobs that wait for nothing
 * @param position its place among the pending jobs, first come first (1 is first); 0 when it is not pending
 */
public record Explanation(
        long job,
        JobState state,
        String reason,
        String message,
        Map<String, Object> evidence,
        String unblockedBy,
        int position) {}
