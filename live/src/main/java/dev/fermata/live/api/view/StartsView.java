package dev.fermata.live.api.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * How right expected starts were.
 *
 * @param predictions how many were kept since then
 * @param judged50 those whose p50 has passed
 * @param startedByP50 the share of them that had started by then: 0.5 would be right; absent when there are none
 * @param startedByP90 the same of p90: 0.9 would be right
 * @param medianErrorSeconds half of the starts were nearer to their p50 than this
 * @param medianWaitSeconds half of these waited less than this from the prediction on
 */
public record StartsView(
        Instant since,
        int predictions,
        int judged50,
        @Nullable Double startedByP50,
        int judged90,
        @Nullable Double startedByP90,
        @Nullable Double medianErrorSeconds,
        @Nullable Double medianWaitSeconds) {}
