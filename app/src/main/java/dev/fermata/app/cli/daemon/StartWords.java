package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Humane;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** When a job is expected to start, in words: {@code expectedStart} as the daemon tells it. */
final class StartWords {
    private StartWords() {}

    /** For a narrow column: {@code 2m}, its p50; a dash where that cannot be said. */
    static String early(JsonNode start, Instant now) {
        return in(start, "p50", now).orElse("–");
    }

    /** For a column: {@code 2m–5m}; with a question mark where only one of both can be said, a dash for neither. */
    static String brief(JsonNode start, Instant now) {
        Optional<String> p50 = in(start, "p50", now);
        return p50.map(early -> early + "–" + in(start, "p90", now).orElse("?")).orElse("–");
    }

    /** A sentence without its end, empty when there is nothing to say. */
    static String whole(JsonNode start, Instant now) {
        String note = JobView.text(start, "note");
        Optional<String> p50 = in(start, "p50", now);
        if (p50.isEmpty()) {
            return note;
        }
        Optional<String> p90 = in(start, "p90", now);
        return "in " + p50.get() + " as likely as not"
                + p90.map(late -> ", in " + late + " nine times out of ten").orElse("")
                + (note.isEmpty() ? "" : " (" + note + ")");
    }

    /** Whom it would pause, a sentence without its end; empty when nobody. */
    static String pauses(JsonNode start) {
        List<String> victims = new ArrayList<>();
        start.path("pauses").forEach(job -> victims.add(job.asText()));
        double chance = start.path("pauseChance").asDouble();
        if (victims.isEmpty() || chance == 0) {
            return "";
        }
        return (victims.size() == 1 ? "job " : "jobs ") + String.join(", ", victims) + " in "
                + Math.round(100 * chance) + " % of the simulated futures, at a cost of "
                + Humane.time(start.path("costSeconds").asDouble()) + " for a gain of "
                + Humane.time(start.path("gainSeconds").asDouble()) + " of completion time";
    }

    private static Optional<String> in(JsonNode start, String key, Instant now) {
        return JobView.time(start, key).map(then -> JobView.span(now, then));
    }
}
