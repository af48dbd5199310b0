package dev.fermata.app.cli.daemon;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** One line of the history in words: when, which job, what, by whom, and the numbers that go with it. */
final class EventLine {
    private static final DateTimeFormatter TODAY = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter EARLIER = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT);
    private static final Set<String> SAID_ELSEWHERE =
            Set.of("v", "jobId", "attempt", "atMillis", "kind", "type", "nowMillis");
    private static final int LONGEST = 160;

    private EventLine() {}

    static String when(JsonNode event, ZoneId zone, LocalDate today) {
        return JobView.time(event, "at")
                .map(at -> {
                    boolean fromToday = LocalDate.ofInstant(at, zone).equals(today);
                    return (fromToday ? TODAY : EARLIER).format(at.atZone(zone));
                })
                .orElse("–");
    }

    static String when(JsonNode event) {
        ZoneId zone = ZoneId.systemDefault();
        return when(event, zone, LocalDate.ofInstant(Instant.now(), zone));
    }

    static String job(JsonNode event) {
        String run = JobView.text(event, "run");
        return run.isEmpty() ? JobView.text(event, "job") : run;
    }

    /** Simple values only, and not too many of them: the rest is in the JSON. */
    static String details(JsonNode event) {
        List<String> words = new ArrayList<>();
        int[] length = {0};
        event.path("body").properties().forEach(field -> {
            JsonNode value = field.getValue();
            if (SAID_ELSEWHERE.contains(field.getKey())
                    || value.isContainerNode()
                    || value.isNull()
                    || value.asText().isEmpty()) {
                return;
            }
            String word = EvidenceWords.of(field.getKey(), value);
            if (length[0] + word.length() <= LONGEST) {
                words.add(word);
                length[0] += word.length();
            }
        });
        return String.join(", ", words);
    }

    static String whole(JsonNode event) {
        String details = details(event);
        String job = job(event);
        return when(event) + "  " + (job.isEmpty() ? "" : "job " + job + "  ") + JobView.text(event, "kind") + "  by "
                + JobView.text(event, "actor") + (details.isEmpty() ? "" : "  " + details);
    }
}
