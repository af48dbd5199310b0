package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import java.util.function.ToDoubleFunction;

/**
 * FitGpp's choice: the smallest and quickest to leave among those who alone make room,
 * {@code size/max size + s * grace/max grace}, and each at most {@code P} times; random ones when nobody alone is enough.
 *
 * <p>Yabuuchi, Taniwaki, Omura, "Low-latency job scheduling with preemption for the development of deep learning",
 * OpML 2019. O(running batch jobs) a choice.
 */
public final class FitScore implements VictimChoice {
    /** What stands for the grace period of the paper. */
    public enum Grace {
        /** What the pause takes: the checkpoint, cut off at the limit. */
        PAUSE,
        /** The limit that the job declares. */
        LIMIT
    }

    private final double weight;
    private final int budget;
    private final Grace grace;
    private final RandomVictims random = new RandomVictims();

    public FitScore(double weight, int budget, Grace grace) {
        this.weight = weight;
        this.budget = budget;
        this.grace = grace;
    }

    @Override
    public int budget() {
        return budget;
    }

    @Override
    public ToDoubleFunction<Resident> one(Residents running) {
        double largest = running.largest();
        long longest = running.longest(this::graceMillis);
        return r -> score(r.size(), largest, graceMillis(r.job()), longest);
    }

    double score(double size, double largest, long graceMillis, long longest) {
        double bySize = largest > 0 ? size / largest : 0;
        double byGrace = longest > 0 ? (double) graceMillis / longest : 0;
        return bySize + weight * byGrace;
    }

    private long graceMillis(JobView job) {
        long limit = job.job().graceMillis();
        return grace == Grace.LIMIT ? limit : Math.min(limit, job.job().costs().pauseMillis());
    }

    @Override
    public ToDoubleFunction<Resident> several(View view, JobView trial) {
        return random.several(view, trial);
    }
}
