package dev.fermata.app.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.app.output.Harmless;
import dev.fermata.app.output.Humane;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What happened, told in sentences: reads the daemon's events, in order, and keeps what is known of each job. */
final class Story {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final Map<Long, Seen> jobs = new LinkedHashMap<>();
    private final ZoneId zone;

    Story(ZoneId zone) {
        this.zone = zone;
    }

    /** In the order of their arrival. */
    Map<Long, Seen> jobs() {
        return jobs;
    }

    void add(long id, DemoJob job) {
        jobs.put(id, new Seen(id, job));
    }

    /** A look at a job that lives: how far it is. */
    void see(JsonNode look) {
        Seen seen = jobs.get(look.path("id").asLong());
        if (seen != null && !seen.ended()) {
            progress(seen, look.path("progress"));
        }
    }

    private static void progress(Seen seen, JsonNode progress) {
        seen.step = Math.max(seen.step, progress.path("step").asLong());
        seen.loss = progress.path("value").asDouble(seen.loss);
    }

    /** One event; a line to tell if it is worth one. Jobs that are not of the demo are passed over. */
    Optional<String> hear(JsonNode event) {
        Seen seen = jobs.get(event.path("job").asLong(-1));
        if (seen == null) {
            return Optional.empty();
        }
        Instant at = Instant.parse(event.path("at").asText());
        JsonNode body = event.path("body");
        Optional<String> sentence = switch (event.path("kind").asText()) {
            case "Submitted" -> submitted(seen, at);
            case "Started" -> started(seen, body);
            case "Running" -> running(seen, at);
            case "Pausing" -> pausing(seen, body);
            case "Left" -> left(seen, body);
            case "Refused" -> ended(seen, "UNSATISFIABLE", "");
            case "Ended" -> ended(seen, body.path("state").asText(), "");
            default -> Optional.empty();
        };
        return sentence.map(text -> at(at, text));
    }

    /** A line with its time. */
    String at(Instant when, String sentence) {
        return CLOCK.format(when.atZone(zone)) + "  " + sentence;
    }

    private static Optional<String> submitted(Seen seen, Instant at) {
        seen.submitted = at;
        return Optional.empty();
    }

    private static Optional<String> started(Seen seen, JsonNode body) {
        seen.state = "STARTING";
        seen.attempt = body.path("attempt").asInt();
        seen.gpu = body.path("allocation").path("gpus").path(0).asInt(-1);
        seen.stepAtStart = seen.step;
        return Optional.empty();
    }

    private static Optional<String> running(Seen seen, Instant at) {
        if (seen.state.equals("RUNNING")) {
            return Optional.empty(); // said again after a restart of the daemon
        }
        seen.state = "RUNNING";
        String room = seen.madeRoom.isEmpty() ? "" : "; for it " + String.join(" and ", seen.madeRoom);
        seen.madeRoom.clear();
        if (seen.running != null) {
            return Optional.of(
                    seen.name() + " goes on at step " + Humane.count(seen.step) + " on GPU " + seen.gpu + room);
        }
        seen.running = at;
        return Optional.of(seen.name() + " starts on GPU " + seen.gpu + ", " + Humane.time(seen.waitedSeconds())
                + " after it arrived" + room);
    }

    private static Optional<String> pausing(Seen seen, JsonNode body) {
        seen.state = "PAUSING";
        seen.pausedFor = body.path("beneficiary").asLong(-1);
        return Optional.empty();
    }

    private Optional<String> left(Seen seen, JsonNode body) {
        progress(seen, body.path("progress"));
        String outcome = body.path("outcome").asText();
        seen.state = body.path("next").asText();
        seen.gpu = -1;
        Seen beneficiary = jobs.get(seen.pausedFor);
        seen.pausedFor = -1;
        if (seen.state.equals("PENDING")) {
            double took = body.path("usage").path("pauseMillis").asDouble() / 1000;
            seen.pauses++;
            seen.pauseSeconds += took;
            String how = outcome.equals("PAUSED")
                    ? " was paused after saving at step " + Humane.count(seen.step) + " (" + Humane.time(took) + ")"
                    : seen.step == seen.stepAtStart
                            ? " was stopped before it had done a step"
                            : " was stopped and could not save";
            if (beneficiary == null) {
                return Optional.of(seen.name() + how);
            }
            beneficiary.madeRoom.add(seen.name() + how);
            return Optional.empty();
        }
        if (!seen.completed()) {
            return ended(seen, seen.state, body.path("exit").path("detail").asText());
        }
        // Of a batch job more is to be told, once its loss is known.
        return seen.job.trial() ? Optional.of(seen.name() + " is done") : Optional.empty();
    }

    private static Optional<String> ended(Seen seen, String state, String why) {
        seen.state = state;
        return Optional.of(seen.name() + " ended as " + state + (why.isEmpty() ? "" : ": " + Harmless.line(why)));
    }
}
