package dev.fermata.live.prediction;

import dev.fermata.core.prediction.ClusterSnapshot;
import java.util.Map;

/**
 * Predicts the starts of pending jobs from a cluster snapshot. It runs on a thread of its own, may take seconds, and
 * never changes anything. The same snapshot yields the same prediction.
 */
public interface StartPredictor {
    /** Predictions by job id, for all pending jobs that are not on hold and all hypothetical jobs. */
    Map<Long, StartPrediction> predict(ClusterSnapshot snapshot);
}
