package dev.fermata.live.api.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The accuracy of predicted starts.
 *
 * @param predictions how many were recorded since then
 * @param evaluatedP50 those whose p50 has passed
 * @param startedByP50 the share of them that had started by then: 0.5 is right; absent for none
 * @param startedByP90 the same for p90: 0.9 is right
 * @param medianErrorSeconds the median distance of starts from their p50
 * @param medianWaitSeconds the median wait from the prediction to the start
 */
public record StartAccuracyView(
        Instant since,
        int predictions,
        int evaluatedP50,
        @Nullable Double startedByP50,
        int evaluatedP90,
        @Nullable Double startedByP90,
        @Nullable Double medianErrorSeconds,
        @Nullable Double medianWaitSeconds) {}
