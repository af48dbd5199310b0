package dev.fermata.cli.demo;

import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.List;

/**
 * The jobs of the demo, drawn from a seed. It begins with more batch jobs than GPUs, adds some when others should have
 * ended, and submits trials of a few seconds all the time.
 */
final class JobStream {
    private static final double BATCH_SECONDS = 20;
    private static final double BATCH_STEP_SECONDS = 0.05;
    private static final double TRIAL_SECONDS = 2;
    private static final double TRIAL_STEP_SECONDS = 0.02;
    /** However short the demo: starting a process takes time, and a job that has just started is not paused. */
    private static final double FIRST_TRIAL_SECONDS = 3;

    private static final double TRIAL_EVERY_SECONDS = 2;
    private static final double TRIAL_EVERY_MORE_SECONDS = 4;

    /** The share of the GPUs' time that batch jobs request; trials and pauses need the rest. */
    private static final double LOAD = 0.75;

    private final Rng sizes;
    private final Rng arrivals;
    private final int gpus;
    private final double scale;
    private final List<DemoJob> initialJobs = new ArrayList<>();
    private DemoJob nextBatch;
    private DemoJob nextTrial;
    private int batches;
    private int trials;

    /** @param scale 1 for jobs of half a minute, less for a shorter show */
    JobStream(long seed, int gpus, double scale) {
        this.sizes = Rng.stream(seed, 0);
        this.arrivals = Rng.stream(seed, 1);
        this.gpus = gpus;
        this.scale = scale;
        for (int i = 0; i < gpus + Math.max(1, gpus / 2); i++) {
            initialJobs.add(batch(0));
        }
        nextBatch = batchAfter(0);
        nextTrial = trial(Math.round(1000 * FIRST_TRIAL_SECONDS));
    }

    /** The jobs that have arrived since the last call, in order. */
    List<DemoJob> due(long elapsedMillis) {
        List<DemoJob> due = new ArrayList<>(initialJobs);
        initialJobs.clear();
        while (Math.min(nextBatch.atMillis(), nextTrial.atMillis()) <= elapsedMillis) {
            if (nextTrial.atMillis() <= nextBatch.atMillis()) {
                due.add(nextTrial);
                double gap = (TRIAL_EVERY_SECONDS + scale * TRIAL_EVERY_MORE_SECONDS) * (0.5 + arrivals.uniform());
                nextTrial = trial(nextTrial.atMillis() + Math.round(1000 * gap));
            } else {
                due.add(nextBatch);
                nextBatch = batchAfter(nextBatch.atMillis());
            }
        }
        return due;
    }

    private DemoJob batchAfter(long atMillis) {
        double gap = arrivals.exponential(1.5 * BATCH_SECONDS / (gpus * LOAD));
        return batch(atMillis + Math.round(1000 * scale * gap));
    }

    private DemoJob batch(long atMillis) {
        double seconds = scale * BATCH_SECONDS * (1 + sizes.uniform());
        int steps = (int) Math.max(1, Math.round(seconds / BATCH_STEP_SECONDS));
        batches++;
        return new DemoJob("batch-" + batches, false, atMillis, batches, steps, BATCH_STEP_SECONDS);
    }

    private DemoJob trial(long atMillis) {
        double seconds = Math.max(0.5, scale * TRIAL_SECONDS * (1 + sizes.uniform()));
        int steps = (int) Math.max(1, Math.round(seconds / TRIAL_STEP_SECONDS));
        trials++;
        return new DemoJob("trial-" + trials, true, atMillis, 1000 + trials, steps, TRIAL_STEP_SECONDS);
    }
}
