package dev.fermata.cli.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TerminalText;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Describes events in sentences: reads the daemon's events in order, and keeps what is known of each job. */
final class EventNarrator {
    private static final DateTimeFormatter CLOCK = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private final Map<Long, ObservedJob> jobs = new LinkedHashMap<>();
    private final ZoneId zone;

    EventNarrator(ZoneId zone) {
        this.zone = zone;
    }

    /** In the order of their arrival. */
    Map<Long, ObservedJob> jobs() {
        return jobs;
    }

    void add(long id, DemoJob job) {
        jobs.put(id, new ObservedJob(id, job));
    }

    /** Updates the progress of a live job. */
    void updateProgress(JsonNode poll) {
        ObservedJob observed = jobs.get(poll.path("id").asLong());
        if (observed != null && !observed.ended()) {
            progress(observed, poll.path("progress"));
        }
    }

    private static void progress(ObservedJob observed, JsonNode progress) {
        // The API calls it current, and the history step.
        long done = progress.path(progress.has("current") ? "current" : "step").asLong();
        observed.step = Math.max(observed.step, done);
        observed.loss = progress.path("metrics")
                .path("loss")
                .asDouble(progress.path("value").asDouble(observed.loss));
    }

    /** Reads one event, and returns a line if it is worth one. Ignores jobs that are not the demo's. */
    Optional<String> narrate(JsonNode event) {
        ObservedJob observed = jobs.get(event.path("job").asLong(-1));
        if (observed == null) {
            return Optional.empty();
        }
        Instant at = Instant.parse(event.path("at").asText());
        JsonNode body = event.path("body");
        Optional<String> sentence = switch (event.path("type").asText()) {
            case "Submitted" -> onSubmitted(observed, at);
            case "Started" -> onStarted(observed, body);
            case "Running" -> onRunning(observed, at);
            case "Preempting" -> onPreempting(observed, body);
            case "AttemptEnded" -> onAttemptEnded(observed, body);
            case "JobRejected" -> onEnded(observed, "UNSATISFIABLE", "");
            case "JobEnded" -> onEnded(observed, body.path("state").asText(), "");
            default -> Optional.empty();
        };
        return sentence.map(text -> withTime(at, text));
    }

    /** A line with its time. */
    String withTime(Instant when, String sentence) {
        return CLOCK.format(when.atZone(zone)) + "  " + sentence;
    }

    private static Optional<String> onSubmitted(ObservedJob observed, Instant at) {
        observed.submitted = at;
        return Optional.empty();
    }

    private static Optional<String> onStarted(ObservedJob observed, JsonNode body) {
        observed.state = "STARTING";
        observed.attempt = body.path("attempt").asInt();
        observed.gpu = body.path("allocation").path("gpus").path(0).asInt(-1);
        observed.stepAtStart = observed.step;
        return Optional.empty();
    }

    private static Optional<String> onRunning(ObservedJob observed, Instant at) {
        if (observed.state.equals("RUNNING")) {
            return Optional.empty(); // said again after a restart of the daemon
        }
        observed.state = "RUNNING";
        String room = observed.victimTexts.isEmpty() ? "" : "; for it " + String.join(" and ", observed.victimTexts);
        observed.victimTexts.clear();
        if (observed.running != null) {
            return Optional.of(observed.name() + " goes on at step " + HumanFormat.count(observed.step) + " on GPU "
                    + observed.gpu + room);
        }
        observed.running = at;
        return Optional.of(observed.name() + " starts on GPU " + observed.gpu + ", "
                + HumanFormat.time(observed.waitedSeconds()) + " after it arrived" + room);
    }

    private static Optional<String> onPreempting(ObservedJob observed, JsonNode body) {
        observed.state = "PREEMPTING";
        observed.beneficiary = body.path("beneficiary").asLong(-1);
        return Optional.empty();
    }

    private Optional<String> onAttemptEnded(ObservedJob observed, JsonNode body) {
        progress(observed, body.path("progress"));
        String outcome = body.path("outcome").asText();
        observed.state = body.path("next").asText();
        observed.gpu = -1;
        ObservedJob beneficiary = jobs.get(observed.beneficiary);
        observed.beneficiary = -1;
        if (observed.state.equals("PENDING")) {
            double took = body.path("usage").path("preemptMillis").asDouble() / 1000;
            observed.pauses++;
            observed.pauseSeconds += took;
            String how = outcome.equals("PREEMPTED")
                    ? " was paused after saving at step " + HumanFormat.count(observed.step) + " ("
                            + HumanFormat.time(took) + ")"
                    : observed.step == observed.stepAtStart
                            ? " was stopped before it had done a step"
                            : " was stopped and could not save";
            if (beneficiary == null) {
                return Optional.of(observed.name() + how);
            }
            beneficiary.victimTexts.add(observed.name() + how);
            return Optional.empty();
        }
        if (!observed.completed()) {
            return onEnded(
                    observed, observed.state, body.path("exit").path("detail").asText());
        }
        // A batch job is described once its loss is known.
        return observed.job.trial() ? Optional.of(observed.name() + " is done") : Optional.empty();
    }

    private static Optional<String> onEnded(ObservedJob observed, String state, String why) {
        observed.state = state;
        return Optional.of(
                observed.name() + " ended as " + state + (why.isEmpty() ? "" : ": " + TerminalText.escape(why)));
    }
}
