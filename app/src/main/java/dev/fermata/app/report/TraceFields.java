package dev.fermata.app.report;

import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.input.TracePart;
import dev.fermata.core.model.JobClass;
import dev.fermata.sim.trace.Drop;
import dev.fermata.sim.trace.Tally;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.inspect.Part;
import dev.fermata.sim.trace.inspect.TraceFacts;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A trace for programs: stable keys, base units. */
public final class TraceFields {
    private TraceFields() {}

    public static Map<String, Object> of(TracePart part, TraceFacts facts, Optional<ClusterInput> cluster) {
        Map<String, Object> fields = new LinkedHashMap<>();
        origin(part.trace(), fields);
        fields.put("jobs", facts.jobs());
        fields.put("firstSubmission", date(part.trace(), facts.firstMillis()).orElse(null));
        fields.put("lastSubmission", date(part.trace(), facts.lastMillis()).orElse(null));
        fields.put("firstSubmitSeconds", seconds(facts.firstMillis() / 1000.0));
        fields.put("spanSeconds", seconds(facts.spanSeconds()));
        fields.put("gpuSeconds", seconds(facts.gpuSeconds()));
        fields.put("fractionalJobs", facts.fractional());
        fields.put("elasticJobs", facts.elastic());
        fields.put("typedJobs", facts.typed());
        fields.put("classes", classes(facts));
        fields.put("sizes", sizes(facts));
        fields.put("durationSeconds", durations(facts));
        fields.put("userCount", facts.users().size());
        fields.put("users", parts(facts.users()));
        fields.put("queues", parts(facts.queues()));
        fields.put("models", parts(facts.models()));
        fields.put("busiestDayJobs", facts.busiestDay());
        fields.put("jobsByHour", list(facts.hours()));
        fields.put("jobsByWeekday", part.trace().date().isPresent() ? list(facts.weekdays()) : null);
        fields.put("cluster", cluster.map(c -> cluster(c, part, facts)).orElse(null));
        return fields;
    }

    private static void origin(Trace trace, Map<String, Object> fields) {
        Tally tally = trace.tally();
        fields.put("trace", trace.name());
        fields.put("format", trace.format().name());
        fields.put("files", trace.files().stream().map(String::valueOf).toList());
        fields.put(
                "passedOver", trace.passedOver().stream().map(String::valueOf).toList());
        fields.put("jobsRead", tally.read());
        fields.put("jobsKept", tally.kept());
        Map<String, Object> dropped = new LinkedHashMap<>();
        for (Drop drop : Drop.values()) {
            dropped.put(drop.key(), tally.dropped().getOrDefault(drop, 0L));
        }
        fields.put("dropped", dropped);
        fields.put("blankRows", tally.blankRows());
        fields.put("malformed", tally.malformed());
        fields.put("severalAttempts", tally.severalAttempts());
    }

    /** As the trace's own clock has it; of traces without dates nothing. */
    static Optional<String> date(Trace trace, long millis) {
        if (trace.date().isEmpty()) {
            return Optional.empty();
        }
        Instant at = Instant.ofEpochMilli(trace.date().getAsLong() + millis);
        return Optional.of(DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(LocalDateTime.ofInstant(at, ZoneOffset.UTC)));
    }

    private static Map<String, Object> classes(TraceFacts facts) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (JobClass jobClass : JobClass.values()) {
            fields.put(jobClass.label(), facts.of(jobClass));
        }
        return fields;
    }

    private static List<Object> sizes(TraceFacts facts) {
        List<Object> rows = new ArrayList<>();
        facts.sizes().forEach((gpus, part) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("gpus", gpus);
            put(row, part);
            rows.add(row);
        });
        return rows;
    }

    private static Map<String, Object> durations(TraceFacts facts) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("min", seconds(facts.quantile(0)));
        fields.put("p10", seconds(facts.quantile(0.1)));
        fields.put("median", seconds(facts.quantile(0.5)));
        fields.put("mean", seconds(facts.meanSeconds()));
        fields.put("p90", seconds(facts.quantile(0.9)));
        fields.put("p99", seconds(facts.quantile(0.99)));
        fields.put("max", seconds(facts.quantile(1)));
        List<Object> bars = new ArrayList<>();
        long[] jobs = facts.times();
        for (int i = 0; i < jobs.length; i++) {
            Map<String, @Nullable Object> bar = new LinkedHashMap<>();
            bar.put("fromSeconds", TraceFacts.TIMES.get(i));
            bar.put("toSeconds", i + 1 < jobs.length ? TraceFacts.TIMES.get(i + 1) : null);
            bar.put("jobs", jobs[i]);
            bars.add(bar);
        }
        fields.put("histogram", bars);
        return fields;
    }

    private static List<Object> parts(Map<String, Part> byName) {
        List<Object> rows = new ArrayList<>();
        byName.forEach((name, part) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", name);
            put(row, part);
            rows.add(row);
        });
        return rows;
    }

    private static void put(Map<String, Object> row, Part part) {
        row.put("jobs", part.jobs());
        row.put("gpuSeconds", seconds(part.gpuSeconds()));
    }

    private static Map<String, Object> cluster(ClusterInput cluster, TracePart part, TraceFacts facts) {
        Map<String, Object> fields = new LinkedHashMap<>();
        int gpus = cluster.topology().gpuCount();
        fields.put("name", cluster.name());
        fields.put("gpus", gpus);
        fields.put("load", facts.spanSeconds() > 0 ? RunFields.rounded(facts.load(gpus), 4) : null);
        fields.put("tooLarge", tooLarge(part, gpus));
        return fields;
    }

    static long tooLarge(TracePart part, int gpus) {
        return part.records().stream().filter(r -> r.minGpus() > gpus).count();
    }

    private static List<Long> list(long[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static BigDecimal seconds(double value) {
        return RunFields.rounded(value, 3);
    }
}
