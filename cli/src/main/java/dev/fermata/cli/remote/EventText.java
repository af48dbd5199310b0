package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** One history entry in words: time, job, event, user and numbers. */
final class EventText {
    private static final DateTimeFormatter TODAY = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter EARLIER = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final Set<String> HIDDEN_FIELDS = Set.of("v", "jobId", "attempt", "atMillis", "type", "nowMillis");
    private static final int LONGEST = 160;

    private EventText() {}

    static String time(JsonNode event, ZoneId zone, LocalDate today) {
        return JobText.time(event, "at")
                .map(at -> {
                    boolean fromToday = LocalDate.ofInstant(at, zone).equals(today);
                    return (fromToday ? TODAY : EARLIER).format(at.atZone(zone));
                })
                .orElse("–");
    }

    static String time(JsonNode event) {
        ZoneId zone = ZoneId.systemDefault();
        return time(event, zone, LocalDate.ofInstant(Instant.now(), zone));
    }

    static String job(JsonNode event) {
        String run = JobText.text(event, "attemptId");
        return run.isEmpty() ? JobText.text(event, "job") : run;
    }

    /** Simple values only, and not too many of them: the rest is in the JSON. */
    static String details(JsonNode event) {
        List<String> words = new ArrayList<>();
        int[] length = {0};
        event.path("body").properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (HIDDEN_FIELDS.contains(field.getKey())
                    || value.isContainerNode()
                    || value.isNull()
                    || value.asText().isEmpty()) {
                return;
            }
            String word = EvidenceText.of(field.getKey(), value);
            if (length[0] + word.length() <= LONGEST) {
                words.add(word);
                length[0] += word.length();
            }
        });
        return String.join(", ", words);
    }

    static String line(JsonNode event) {
        String details = details(event);
        String job = job(event);
        return time(event) + "  " + (job.isEmpty() ? "" : "job " + job + "  ") + JobText.text(event, "type") + "  by "
                + JobText.text(event, "actor") + (details.isEmpty() ? "" : "  " + details);
    }
}
