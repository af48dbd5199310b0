package dev.fermata.live.service;

import dev.fermata.core.contract.ReasonCode;
import dev.fermata.live.prediction.StartPrediction;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What would happen to a job if it were submitted now. It reserves nothing.
 *
 * @param startsNow whether it would start at once on free GPUs
 * @param gpus the GPUs it would get; empty when it would only wait
 * @param preemption the jobs that would be preempted for it
 * @param reason why it would wait; null when it would not
 * @param start its predicted start; null without a predictor
 */
public record DryRunResult(
        boolean feasible,
        boolean startsNow,
        List<Integer> gpus,
        PlannedPreemption preemption,
        @Nullable ReasonCode reason,
        String message,
        @Nullable StartPrediction start) {
    /** A job that would be preempted. */
    public record PlannedVictim(long job, String name, String user, int gpus) {}

    /** The preemption that would make room, with gain and cost as the policy estimates them. */
    public record PlannedPreemption(List<PlannedVictim> victims, long gainMillis, long costMillis) {
        static final PlannedPreemption NONE = new PlannedPreemption(List.of(), 0, 0);

        public PlannedPreemption {
            victims = List.copyOf(victims);
        }
    }

    public List<PlannedVictim> victims() {
        return preemption.victims;
    }

    public long gainMillis() {
        return preemption.gainMillis;
    }

    public long costMillis() {
        return preemption.costMillis;
    }
}
