package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far an attempt is, one flat JSON object.
 *
 * @param source {@code reported} by the script, or shown by its {@code output}
 * @param confidence {@code low} (only shown), {@code medium} or {@code high} (estimates rest on it)
 * @param metrics the latest metric, mostly a loss
 */
public record ProgressView(
        int attempt,
        Instant at,
        @JsonUnwrapped ProgressCountView count,
        String source,
        String confidence,
        Map<String, Double> metrics) {
    /**
     * What is done; {@code total} and {@code fraction} are absent when unknown.
     *
     * @param unit {@code step} or {@code epoch}
     */
    public record ProgressCountView(
            long current,
            @Nullable Long total,
            String unit,
            @Nullable Double fraction) {}
}
