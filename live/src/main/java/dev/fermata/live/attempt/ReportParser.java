package dev.fermata.live.attempt;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.live.engine.EngineEvent;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parses one line of a report. The job may write anything: figures are bounded, and an invalid line is no report. */
final class ReportParser {
    private static final int MAX_NAME = 64;
    private static final int MAX_MEMORY_MIB = 100_000_000;
    private static final double MAX_SECONDS = 366 * 86_400.0;
    private static final Set<String> TYPES = Set.of("hello", "loaded", "step", "saving", "saved", "finished");
    private static final ObjectMapper JSON = new ObjectMapper();

    private ReportParser() {}

    /** @param nowMillis bounds the times that a job claims */
    static EngineEvent.@Nullable JobReport parse(String line, long nowMillis) {
        JsonNode node;
        try {
            node = JSON.readTree(line);
        } catch (JsonProcessingException e) {
            return null;
        }
        if (node == null || !node.isObject()) {
            return null;
        }
        // Copies of the helper of 0.1.0 write "kind".
        String type = (node.has("type") ? node.path("type") : node.path("kind")).asText("");
        if (!TYPES.contains(type)) {
            return null;
        }
        long at = node.path("at").isNumber() ? node.path("at").asLong() : nowMillis;
        String metric = node.path("metric").asText("");
        JsonNode value = node.path("value");
        return new EngineEvent.JobReport(
                Math.max(0, Math.min(at, nowMillis)),
                type,
                Math.max(0, node.path("step").asLong(0)),
                Math.max(0, node.path("total").asLong(0)),
                new EngineEvent.ReportedMetric(
                        SingleLine.of(metric, MAX_NAME), value.isNumber() ? value.asDouble() : Double.NaN),
                new EngineEvent.ReportedFigures(
                        (int) clamp(node.path("memoryMib").asLong(0), MAX_MEMORY_MIB),
                        (int) clamp(Math.round(1000 * node.path("busy").asDouble(0)), 1000),
                        node.path("seconds").isNumber() ? scaled(node.path("seconds"), 1e3) : -1,
                        scaled(node.path("iteration"), 1e6),
                        clamp(node.path("bytes").asLong(0), Long.MAX_VALUE),
                        clamp(node.path("up").asLong(0), nowMillis)));
    }

    /** Seconds in a finer unit; a year at most, whatever a job claims. */
    private static long scaled(JsonNode seconds, double unit) {
        return Math.round(Math.max(0, Math.min(seconds.asDouble(0), MAX_SECONDS)) * unit);
    }

    private static long clamp(long value, long max) {
        return Math.max(0, Math.min(value, max));
    }
}
