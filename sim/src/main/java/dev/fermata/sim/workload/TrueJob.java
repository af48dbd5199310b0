package dev.fermata.sim.workload;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;

/**
 * A job together with what only the outside knows.
 *
 * @param durationMillis run time on the reference GPU, alone, in the best placement
 * @param peakMemoryMib what it really peaks at per GPU, whatever it promised
 * @param costs what pausing and loading really take
 * @param end how it ends when its work is done: completed, or failed where that was its fate
 */
public record TrueJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs, Outcome end) {
    public TrueJob(Job job, long submitMillis, long durationMillis, int peakMemoryMib, Costs costs) {
        this(job, submitMillis, durationMillis, peakMemoryMib, costs, Outcome.COMPLETED);
    }

    public TrueJob {
        if (durationMillis <= 0) {
            throw new IllegalArgumentException(
                    "duration (" + durationMillis + " ms) of job (" + job.name() + ") must be positive");
        }
        if (submitMillis < 0) {
            throw new IllegalArgumentException(
                    "submit time (" + submitMillis + " ms) of job (" + job.name() + ") must not be negative");
        }
    }

    /** The truth is what the job declares. */
    public static TrueJob of(Job job, long submitMillis, long durationMillis) {
        return new TrueJob(job, submitMillis, durationMillis, job.demand().gpuMemoryMib(), job.costs());
    }
}
