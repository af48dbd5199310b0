package dev.fermata.sim.trace.philly;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.TraceCollector;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.JsonTable;
import dev.fermata.sim.trace.text.Timestamp;
import dev.fermata.sim.trace.text.TraceRow;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The scheduler's log ({@code cluster_job_log}): a JSON list of jobs with their attempts. A job has the GPUs of its
 * first attempt that has any; its run time is the sum over attempts that began and ended, because a restart continued
 * saved work or repeated it, and held the GPUs for that time in either case.
 */
public final class PhillyLog implements TraceFormat {
    private static final List<String> KEYS = List.of("jobid", "vc", "submitted_time", "attempts");
    private static final Set<String> NEVER = Set.of("", "None", "null");

    @Override
    public String name() {
        return "philly-json";
    }

    @Override
    public String title() {
        return "Microsoft Philly 2017, the scheduler's log with attempts";
    }

    @Override
    public boolean matches(FileHead head) {
        return head.jsonKeys().containsAll(KEYS);
    }

    @Override
    public boolean hasDates() {
        return true;
    }

    @Override
    public void read(TraceFile file, TraceCollector collector) throws IOException {
        JsonTable.read(file, collector, (json, row) -> {
            PhillyJob entry = new PhillyJob(row);
            entry.read(json);
            return () -> entry.collect(collector);
        });
    }

    /** An attempt as it is written. */
    private record PhillyAttempt(String start, String end, int gpus) {}

    /** One job of the log. */
    private static final class PhillyJob {
        private final TraceRow row;
        private final List<PhillyAttempt> attempts = new ArrayList<>();
        private String id = "";
        private String user = TraceRecord.NO_USER;
        private String cluster = "default";
        private String submitted = "";

        PhillyJob(TraceRow row) {
            this.row = row;
        }

        void read(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                json.nextToken();
                switch (key) {
                    case "jobid" -> id = text(json);
                    case "user" -> user = text(json);
                    case "vc" -> cluster = text(json);
                    case "submitted_time" -> submitted = text(json);
                    case "attempts" -> JsonTable.eachObject(json, () -> attempts.add(attempt(json)));
                    default -> json.skipChildren();
                }
            }
        }

        private static PhillyAttempt attempt(JsonParser json) throws IOException {
            String start = "";
            String end = "";
            int[] gpus = {0};
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String key = json.currentName();
                json.nextToken();
                switch (key) {
                    case "start_time" -> start = text(json);
                    case "end_time" -> end = text(json);
                    case "detail" -> JsonTable.eachObject(json, () -> gpus[0] += gpus(json));
                    default -> json.skipChildren();
                }
            }
            return new PhillyAttempt(start, end, gpus[0]);
        }

        private static int gpus(JsonParser json) throws IOException {
            int count = 0;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean named = json.currentName().equals("gpus");
                if (json.nextToken() == JsonToken.START_ARRAY && named) {
                    while (json.nextToken() != JsonToken.END_ARRAY) {
                        json.skipChildren();
                        count++;
                    }
                } else {
                    json.skipChildren();
                }
            }
            return count;
        }

        private static String text(JsonParser json) throws IOException {
            json.skipChildren();
            boolean scalar = json.currentToken().isScalarValue() && json.currentToken() != JsonToken.VALUE_NULL;
            return scalar ? json.getText().trim() : "";
        }

        void collect(TraceCollector collector) {
            List<PhillyAttempt> began =
                    attempts.stream().filter(a -> !NEVER.contains(a.start)).toList();
            List<PhillyAttempt> ended =
                    began.stream().filter(a -> !NEVER.contains(a.end)).toList();
            int gpus = attempts.stream()
                    .mapToInt(PhillyAttempt::gpus)
                    .filter(g -> g > 0)
                    .findFirst()
                    .orElse(0);
            if (began.isEmpty()) {
                collector.drop(DropReason.NEVER_RAN); // checked first: only attempts name GPUs
            } else if (gpus == 0) {
                collector.drop(DropReason.NO_GPU);
            } else if (ended.isEmpty()) {
                collector.drop(DropReason.NOT_ENDED);
            } else {
                collect(collector, gpus, ended);
            }
        }

        private void collect(TraceCollector collector, int gpus, List<PhillyAttempt> ended) {
            long submit = time("submitted_time", submitted);
            long millis = 0;
            for (PhillyAttempt attempt : ended) {
                long start = time("start_time", attempt.start);
                millis += Math.max(0, time("end_time", attempt.end) - start);
            }
            if (millis == 0) {
                collector.drop(DropReason.NO_TIME);
                return;
            }
            if (ended.size() > 1) {
                collector.countMultiAttemptJob();
            }
            collector.add(TraceRecord.builder(id, submit, gpus, millis)
                    .user(user.isEmpty() ? TraceRecord.NO_USER : row.pooled(user))
                    .queue(cluster.isEmpty() ? "default" : row.pooled(cluster))
                    .build());
        }

        private long time(String field, String text) {
            long millis = Timestamp.parse(text);
            if (millis == Timestamp.NONE) {
                throw row.error(field, text, TraceRow.DATE_RULE);
            }
            return millis;
        }
    }
}
