package dev.fermata.live.service;

import dev.fermata.core.contract.JobState;
import java.util.List;
import java.util.Map;

/**
 * Why a job is in its state.
 *
 * @param reason a {@link dev.fermata.core.contract.ReasonCode} for pending jobs, else the name of the state
 * @param message one sentence
 * @param evidence figures with their unit in the name, in reading order
 * @param unblockedBy what would let it start, one sentence; empty for jobs that wait for nothing
 * @param blockedBy the jobs in its way, the first to end first; {@code unblockedBy} names the first of them
 * @param position its position among the pending jobs by submission order, 1 is first; 0 when it is not pending
 */
public record Explanation(
        long job,
        JobState state,
        String reason,
        String message,
        Map<String, Object> evidence,
        String unblockedBy,
        List<BlockingJob> blockedBy,
        int position) {
    /** Of a job that waits for nothing. */
    Explanation(long job, JobState state, String message, Map<String, Object> evidence) {
        this(job, state, state.name(), message, evidence, "", List.of(), 0);
    }

    /** The same in other words. */
    Explanation with(String otherMessage, Map<String, Object> otherEvidence, String otherUnblockedBy) {
        return new Explanation(job, state, reason, otherMessage, otherEvidence, otherUnblockedBy, blockedBy, position);
    }
}
