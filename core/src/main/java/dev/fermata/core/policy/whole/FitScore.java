package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.ranking.PreemptWays;
import java.util.function.ToDoubleFunction;

/**
 * FitGpp's choice: among the jobs that alone free enough, the smallest and quickest to leave. The score is {@code
 * size/max size + s * grace/max grace}, and each is preempted at most {@code P} times. Where no single one is enough,
 * random ones are taken.
 *
 * <p>Yabuuchi, Taniwaki, Omura, "Low-latency job scheduling with preemption for the development of deep learning",
 * OpML 2019. O(running batch jobs) a choice.
 */
public final class FitScore implements VictimChoice {
    /** What stands for the grace period of the paper. */
    public enum Grace {
        /** What leaving takes: the checkpoint, cut off at the limit. */
        PREEMPT_TIME,
        /** The limit that the job declares. */
        DECLARED_LIMIT
    }

    private final double weight;
    private final int budget;
    private final Grace grace;
    private final PreemptWays ways;
    private final RandomVictims random = new RandomVictims();

    public FitScore(double weight, int budget, Grace grace) {
        this(weight, budget, grace, PreemptWays.CHECKPOINT_ONLY);
    }

    /** @param ways how victims leave */
    public FitScore(double weight, int budget, Grace grace, PreemptWays ways) {
        this.ways = ways;
        this.weight = weight;
        this.budget = budget;
        this.grace = grace;
    }

    @Override
    public int budget() {
        return budget;
    }

    @Override
    public ToDoubleFunction<VictimCandidate> scoreSingle(VictimCandidates running) {
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
        return grace == Grace.DECLARED_LIMIT ? job.job().graceMillis() : ways.usualVacateMillis(job);
    }

    @Override
    public ToDoubleFunction<VictimCandidate> scoreSeveral(View view, JobView trial) {
        return random.scoreSeveral(view, trial);
    }
}
