package dev.fermata.live.prediction;

import java.util.List;

/**
 * The predicted start of a pending job, given the jobs at one moment.
 *
 * @param asOfMillis that moment
 * @param p50Millis median start; {@link #UNKNOWN} when it cannot be predicted
 * @param p90Millis 90th percentile of the start
 * @param scenarios number of simulated futures
 * @param preemption the preemptions for this job in them
 * @param note why the prediction is incomplete, one sentence; empty when it is complete
 */
public record StartPrediction(
        long asOfMillis, long p50Millis, long p90Millis, int scenarios, PredictedPreemption preemption, String note) {
    public static final long UNKNOWN = -1;

    /**
     * Preemptions in the simulated futures.
     *
     * @param scenarios number of futures in which jobs are preempted for the predicted one
     * @param victims the jobs preempted in at least half of those
     * @param gainMillis mean gain that the policy estimates
     * @param costMillis mean cost that the policy estimates
     */
    public record PredictedPreemption(int scenarios, List<Long> victims, long gainMillis, long costMillis) {
        public static final PredictedPreemption NONE = new PredictedPreemption(0, List.of(), 0, 0);

        public PredictedPreemption {
            victims = List.copyOf(victims);
        }
    }

    /** No prediction, for this reason. */
    public static StartPrediction unknown(long asOfMillis, String why) {
        return new StartPrediction(asOfMillis, UNKNOWN, UNKNOWN, 0, PredictedPreemption.NONE, why);
    }

    public int scenariosWithPreemption() {
        return preemption.scenarios;
    }

    public List<Long> victims() {
        return preemption.victims;
    }

    public long gainMillis() {
        return preemption.gainMillis;
    }

    public long costMillis() {
        return preemption.costMillis;
    }

    /** The part that the history keeps, to be compared with the actual start. */
    public StartPredicted toRecord() {
        return new StartPredicted(asOfMillis, p50Millis, p90Millis, scenarios);
    }
}
