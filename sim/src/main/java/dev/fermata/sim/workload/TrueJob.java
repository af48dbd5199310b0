package dev.fermata.sim.workload;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import java.util.List;

/**
 * A job together with what only the outside knows.
 *
 * @param durationMillis run time on the reference GPU, alone, in the best placement
 * @param peakMemoryMib what it really peaks at per GPU, whatever it promised
 * @param toll what pausing and loading really take
 * @param end how it ends when its work is done: completed, or failed where that was its fate
 * @param attempts what they take in its first attempts, where that is known of each
 */
public record TrueJob(
        Job job,
        long submitMillis,
        long durationMillis,
        int peakMemoryMib,
        Toll toll,
        Outcome end,
        List<Toll> attempts) {
    public TrueJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs, Outcome end) {
        this(job, submitMillis, durationMillis, peakMemoryMib, new Toll(costs), end, List.of());
    }

    public TrueJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs) {
        this(job, submitMillis, durationMillis, peakMemoryMib, costs, Outcome.COMPLETED);
    }

    public TrueJob {
        attempts = List.copyOf(attempts);
        if (durationMillis <= 0) {
            throw new IllegalArgumentException(
                    "duration (" + durationMillis + " ms) of job (" + job.name() + ") must be positive");
        }
        if (submitMillis < 0) {
            throw new IllegalArgumentException(
                    "submit time (" + submitMillis + " ms) of job (" + job.name() + ") must not be negative");
        }
    }

    /** What pausing and loading take, as far as nothing else is known of an attempt. */
    public Costs costs() {
        return toll.costs();
    }

    /** What pausing and loading take in this attempt, counted from 1. */
    public Toll toll(int attempt) {
        return attempt <= attempts.size() ? attempts.get(attempt - 1) : toll;
    }

    public Costs costs(int attempt) {
        return toll(attempt).costs();
    }

    /** The truth is what the job declares. */
    public static TrueJob of(Job job, long submitMillis, long durationMillis) {
        return new TrueJob(job, submitMillis, durationMillis, job.demand().gpuMemoryMib(), job.costs());
    }
}
