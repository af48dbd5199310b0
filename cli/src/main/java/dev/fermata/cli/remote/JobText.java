package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.report.text.TerminalText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A job in words for people. Text written by others is made harmless for the terminal. */
record JobText(JsonNode json) {

    long id() {
        return json.path("id").asLong();
    }

    String name() {
        return text("name");
    }

    /** Number and name, as sentences begin. */
    String title() {
        return "Job " + id() + (name().isEmpty() ? "" : " (" + name() + ")");
    }

    String state() {
        return text("state");
    }

    /** Its state for people: a job that was preempted and waits to go on is PAUSED. */
    String stateText() {
        return isPaused() ? "PAUSED" : state();
    }

    boolean isPaused() {
        return json.path("paused").asBoolean();
    }

    boolean isEnded() {
        return json.path("final").asBoolean();
    }

    boolean isCompleted() {
        return state().equals("COMPLETED");
    }

    int attempt() {
        return json.path("attempt").asInt();
    }

    String text(String field) {
        return text(json, field);
    }

    static String text(JsonNode from, String field) {
        JsonNode value = from.path(field);
        return value.isNull() ? "" : TerminalText.escape(value.asText());
    }

    static Optional<Instant> time(JsonNode from, String field) {
        try {
            String text = text(from, field);
            return text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** How long something has lasted, such as {@code 3m12s}; a dash when it has not begun. */
    static String since(JsonNode from, String field, Instant now) {
        return time(from, field).map(then -> span(then, now)).orElse("–");
    }

    static String ago(JsonNode from, String field, Instant now) {
        return time(from, field).map(then -> span(then, now) + " ago").orElse("–");
    }

    static String span(Instant from, Instant to) {
        return HumanFormat.time(Math.max(0, Duration.between(from, to).toMillis()) / 1000.0);
    }

    /** In its state since; for ended jobs how long they ran. */
    String age(Instant now) {
        return isEnded() ? ago(json, "finished", now) : since(json, "since", now);
    }

    String runTime() {
        double seconds = json.path("runSeconds").asDouble();
        return seconds > 0 ? HumanFormat.time(seconds) : "–";
    }

    /** The GPUs it holds, such as {@code 0,1}; a dash when there are none. */
    String gpuIds() {
        List<String> ids = new ArrayList<>();
        json.path("gpuIds").forEach(id -> ids.add(TerminalText.escape(id.asText())));
        return ids.isEmpty() ? "–" : String.join(",", ids);
    }

    /**
     * Such as {@code 120/400 30 %, loss 0.31}, or {@code epoch 3/10 30 %}; with a question mark where the output leaves it
     * uncertain, empty when nothing is known.
     */
    String progress() {
        JsonNode progress = json.path("progress");
        if (progress.isMissingNode() || progress.isNull()) {
            return "";
        }
        long step = progress.path("current").asLong();
        String unit = text(progress, "unit");
        long total = progress.path("total").asLong();
        StringBuilder text = new StringBuilder();
        if (total > 0) {
            text.append(unit.equals("step") ? "" : unit + " ")
                    .append(HumanFormat.count(step))
                    .append('/')
                    .append(HumanFormat.count(total))
                    .append(' ')
                    .append(HumanFormat.percent(Math.min(1, (double) step / total)))
                    .append(text(progress, "confidence").equals("low") ? " ?" : "");
        } else if (step > 0) {
            text.append(unit).append(' ').append(HumanFormat.count(step));
        }
        progress.path("metrics")
                .properties()
                .forEach(metric -> text.append(text.length() == 0 ? "" : ", ")
                        .append(metric.getKey())
                        .append(' ')
                        .append(number(metric.getValue().asDouble())));
        return text.toString();
    }

    private static String number(double value) {
        double size = Math.abs(value);
        return size != 0 && (size < 0.001 || size >= 1e6)
                ? String.format(java.util.Locale.ROOT, "%.2e", value)
                : String.format(java.util.Locale.ROOT, size < 10 ? "%.4f" : "%.2f", value);
    }

    /** The most useful remark about a job in a list: why it waits, how far it is, or why it failed. */
    String reasonText() {
        if (state().equals("PENDING")) {
            String reason = text("reason");
            String message = text("message");
            return reason.isEmpty() ? message : reason + (message.isEmpty() ? "" : ": " + message);
        }
        if (isEnded() && !isCompleted()) {
            String detail = text("detail");
            return detail.isEmpty() && json.path("exitCode").isNumber() ? "exit code " + text("exitCode") : detail;
        }
        return text("detail");
    }

    /** How it ended, for a sentence: {@code is COMPLETED after 3m12s}. */
    String endText() {
        String code = json.path("exitCode").isNumber() && !isCompleted() ? " with exit code " + text("exitCode") : "";
        String detail = isCompleted() || text("detail").isEmpty() ? "" : ": " + text("detail");
        return title() + " is " + state() + code + detail;
    }
}
