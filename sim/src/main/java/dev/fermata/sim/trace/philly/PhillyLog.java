package dev.fermata.sim.trace.philly;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.fermata.sim.trace.Drop;
import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.trace.text.JsonTable;
import dev.fermata.sim.trace.text.Row;
import dev.fermata.sim.trace.text.Timestamp;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The scheduler's log ({@code cluster_job_log}): a JSON list of jobs with their attempts. A job has the GPUs of its first
 * attempt that has any; its run time is the sum over attempts that began and ended, because a restart went on where the
 * attempt before had saved or did the work again, and either way the GPUs were held that long.
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
    public boolean recognises(Head head) {
        return head.jsonKeys().containsAll(KEYS);
    }

    @Override
    public boolean dated() {
        return true;
    }

    @Override
    public void read(TraceFile file, Intake intake) throws IOException {
        JsonTable.read(file, intake, (json, row) -> {
            Entry entry = new Entry(row);
            entry.read(json);
            return () -> entry.take(intake);
        });
    }

    /** An attempt as it is written. */
    private record Attempt(String start, String end, int gpus) {}

    /** One job of the log. */
    private static final class Entry {
        private final Row row;
        private final List<Attempt> attempts = new ArrayList<>();
        private String id = "";
        private String user = "nobody";
        private String cluster = "default";
        private String submitted = "";

        Entry(Row row) {
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

        private static Attempt attempt(JsonParser json) throws IOException {
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
            return new Attempt(start, end, gpus[0]);
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

        void take(Intake intake) {
            long submit = time("submitted_time", submitted);
            long millis = 0;
            int began = 0;
            int ended = 0;
            int gpus = 0;
            for (Attempt attempt : attempts) {
                gpus = gpus == 0 ? attempt.gpus : gpus;
                if (!NEVER.contains(attempt.start)) {
                    began++;
                    long start = time("start_time", attempt.start);
                    if (!NEVER.contains(attempt.end)) {
                        long end = time("end_time", attempt.end);
                        ended++;
                        millis += Math.max(0, end - start);
                    }
                }
            }
            if (began == 0) {
                intake.drop(Drop.NEVER_RAN);
            } else if (gpus == 0) {
                intake.drop(Drop.NO_GPU);
            } else if (ended == 0) {
                intake.drop(Drop.NOT_ENDED);
            } else if (millis <= 0) {
                intake.drop(Drop.NO_TIME);
            } else {
                if (ended > 1) {
                    intake.severalAttempts();
                }
                intake.keep(TraceRecord.builder(id, submit, gpus, millis)
                        .user(user.isEmpty() ? "nobody" : row.shared(user))
                        .queue(cluster.isEmpty() ? "default" : row.shared(cluster))
                        .build());
            }
        }

        private long time(String field, String text) {
            long millis = Timestamp.parse(text);
            if (millis == Timestamp.NONE) {
                throw row.wrong(field, text, Row.DATE_RULE);
            }
            return millis;
        }
    }
}
