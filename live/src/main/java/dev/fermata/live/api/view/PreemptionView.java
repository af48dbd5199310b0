package dev.fermata.live.api.view;

import dev.fermata.live.ledger.Entry;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One decision to pause jobs for another, or one that was declined, with what was expected of it and what came of it. Gain and cost are
 * completion time; {@code docs/preemptions.md} defines them. What is not known yet is absent.
 *
 * @param number of the line of the history that began it
 * @param victimCount how many were paused, or would have been
 * @param expectedGainSeconds as the policy weighed it; absent, like the cost, where it weighs nothing
 * @param started when the beneficiary then got GPUs
 * @param waitedSeconds how long it waited for them after the decision; for one declined also until it ended without
 * @param loadSeconds what the beneficiary then took to load
 * @param costSeconds completion time that the victims lost, as far as known; absent for one declined
 * @param gainSeconds completion time that the beneficiary saved at most; absent until all victims have ended
 */
public record PreemptionView(
        long number,
        Instant at,
        Entry.Outcome outcome,
        String policy,
        Party beneficiary,
        int victimCount,
        List<Victim> victims,
        @Nullable Double expectedGainSeconds,
        @Nullable Double expectedCostSeconds,
        @Nullable Instant started,
        @Nullable Double waitedSeconds,
        @Nullable Double loadSeconds,
        @Nullable Double costSeconds,
        @Nullable Double gainSeconds,
        double gpuSeconds) {
    /** A job; the name only for those who may know it. */
    public record Party(long job, String name, String user, String queue, int gpus) {}

    /** From the order until its script spoke, until it began to restore, until it had, and until its first step was done. */
    public record Reload(
            @Nullable Double startSeconds,
            @Nullable Double buildSeconds,
            @Nullable Double restoreSeconds,
            @Nullable Double warmupSeconds) {}

    /**
     * A job that was paused.
     *
     * @param pauseSeconds from the signal until it was gone
     * @param lostSeconds work it had to repeat
     * @param reloadSeconds what it took to load when it came back
     * @param reload the parts of that, as far as its script told
     * @param awaySeconds from the decision until it made progress again
     * @param remainingSeconds how long it still ran after that, in all
     * @param gpuSeconds pause, reload and lost work times its GPUs
     */
    public record Victim(
            long job,
            String name,
            String user,
            String queue,
            int gpus,
            @Nullable Instant left,
            @Nullable Double pauseSeconds,
            @Nullable Double lostSeconds,
            @Nullable Double reloadSeconds,
            @Nullable Reload reload,
            @Nullable Double awaySeconds,
            @Nullable Double remainingSeconds,
            double gpuSeconds) {}
}
