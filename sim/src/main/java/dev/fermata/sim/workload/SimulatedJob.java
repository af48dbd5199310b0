package dev.fermata.sim.workload;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import java.util.List;

/**
 * A job together with what only the engine knows.
 *
 * @param durationMillis run time on the reference GPU, alone, in the best placement
 * @param peakMemoryMib its true peak per GPU, whatever it declares
 * @param overhead what pausing and loading really take
 * @param outcome how it ends when its work is done: completed, or failed where the trace says so
 * @param attemptOverheads what they take in its first attempts, where that is known of each
 */
public record SimulatedJob(
        Job job,
        long submitMillis,
        long durationMillis,
        int peakMemoryMib,
        AttemptOverhead overhead,
        Outcome outcome,
        List<AttemptOverhead> attemptOverheads) {
    public SimulatedJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs, Outcome end) {
        this(job, submitMillis, durationMillis, peakMemoryMib, new AttemptOverhead(costs), end, List.of());
    }

    public SimulatedJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs) {
        this(job, submitMillis, durationMillis, peakMemoryMib, costs, Outcome.COMPLETED);
    }

    public SimulatedJob {
        attemptOverheads = List.copyOf(attemptOverheads);
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
        return overhead.costs();
    }

    /** What pausing and loading take in this attempt, counted from 1. */
    public AttemptOverhead overhead(int attempt) {
        return attempt <= attemptOverheads.size() ? attemptOverheads.get(attempt - 1) : overhead;
    }

    public Costs costs(int attempt) {
        return overhead(attempt).costs();
    }

    /** A job whose declared costs and memory are the true ones. */
    public static SimulatedJob of(Job job, long submitMillis, long durationMillis) {
        return new SimulatedJob(job, submitMillis, durationMillis, job.demand().gpuMemoryMib(), job.costs());
    }
}
