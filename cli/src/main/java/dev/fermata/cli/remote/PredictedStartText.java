package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The predicted start of a job in words: {@code predictedStart} of the API. */
final class PredictedStartText {
    private PredictedStartText() {}

    /** For a narrow column: {@code 2m}, its p50; a dash where that cannot be said. */
    static String p50(JsonNode start, Instant now) {
        return timeUntil(start, "p50", now).orElse("–");
    }

    /** For a column: {@code 2m–5m}; with a question mark where only one of both can be said, a dash for neither. */
    static String range(JsonNode start, Instant now) {
        Optional<String> p50 = timeUntil(start, "p50", now);
        return p50.map(early -> early + "–" + timeUntil(start, "p90", now).orElse("?"))
                .orElse("–");
    }

    /** A sentence without its end, empty when there is nothing to say. */
    static String sentence(JsonNode start, Instant now) {
        String note = JobText.text(start, "note");
        Optional<String> p50 = timeUntil(start, "p50", now);
        if (p50.isEmpty()) {
            return note;
        }
        Optional<String> p90 = timeUntil(start, "p90", now);
        return "in " + p50.get() + " as likely as not"
                + p90.map(late -> ", in " + late + " nine times out of ten").orElse("")
                + (note.isEmpty() ? "" : " (" + note + ")");
    }

    /** The jobs it would pause, a sentence without its end; empty when none. */
    static String victimsText(JsonNode start) {
        List<String> victims = new ArrayList<>();
        start.path("victims").forEach(job -> victims.add(job.asText()));
        double chance = start.path("preemptionProbability").asDouble();
        if (victims.isEmpty() || chance == 0) {
            return "";
        }
        return (victims.size() == 1 ? "job " : "jobs ") + String.join(", ", victims) + " in "
                + Math.round(100 * chance) + " % of the simulated futures, at a cost of "
                + HumanFormat.time(start.path("costSeconds").asDouble()) + " for a gain of "
                + HumanFormat.time(start.path("gainSeconds").asDouble()) + " of completion time";
    }

    private static Optional<String> timeUntil(JsonNode start, String key, Instant now) {
        return JobText.time(start, key).map(then -> JobText.span(now, then));
    }
}
