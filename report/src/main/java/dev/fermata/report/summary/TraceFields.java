package dev.fermata.report.summary;

import dev.fermata.core.model.JobClass;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.sim.trace.DropReason;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceReadSummary;
import dev.fermata.sim.trace.inspect.GroupTotals;
import dev.fermata.sim.trace.inspect.TraceStatistics;
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

    public static Map<String, Object> of(
            SelectedTrace part, TraceStatistics statistics, Optional<ClusterInput> cluster) {
        Map<String, Object> fields = new LinkedHashMap<>();
        origin(part.trace(), fields);
        fields.put("jobs", statistics.jobs());
        fields.put(
                "firstSubmission", date(part.trace(), statistics.firstMillis()).orElse(null));
        fields.put("lastSubmission", date(part.trace(), statistics.lastMillis()).orElse(null));
        fields.put("firstSubmitSeconds", seconds(statistics.firstMillis() / 1000.0));
        fields.put("spanSeconds", seconds(statistics.spanSeconds()));
        fields.put("gpuSeconds", seconds(statistics.gpuSeconds()));
        fields.put("fractionalJobs", statistics.fractional());
        fields.put("elasticJobs", statistics.elastic());
        fields.put("typedJobs", statistics.typeConstrained());
        fields.put("classes", classes(statistics));
        fields.put("sizes", sizes(statistics));
        fields.put("durationSeconds", durations(statistics));
        fields.put("userCount", statistics.users().size());
        fields.put("users", parts(statistics.users()));
        fields.put("queues", parts(statistics.queues()));
        fields.put("models", parts(statistics.models()));
        fields.put("busiestDayJobs", statistics.busiestDay());
        fields.put("jobsByHour", list(statistics.hours()));
        fields.put("jobsByWeekday", part.trace().date().isPresent() ? list(statistics.weekdays()) : null);
        fields.put("cluster", cluster.map(c -> cluster(c, part, statistics)).orElse(null));
        return fields;
    }

    private static void origin(Trace trace, Map<String, Object> fields) {
        TraceReadSummary tally = trace.readSummary();
        fields.put("trace", trace.name());
        fields.put("format", trace.format().name());
        fields.put("files", trace.files().stream().map(String::valueOf).toList());
        fields.put(
                "skippedFiles",
                trace.skippedFiles().stream().map(String::valueOf).toList());
        fields.put("jobsRead", tally.read());
        fields.put("jobsKept", tally.kept());
        Map<String, Object> dropped = new LinkedHashMap<>();
        for (DropReason drop : DropReason.values()) {
            dropped.put(drop.key(), tally.dropped().getOrDefault(drop, 0L));
        }
        fields.put("dropped", dropped);
        fields.put("blankRows", tally.blankRows());
        fields.put("malformed", tally.malformed());
        fields.put("multiAttemptJobs", tally.multiAttemptJobs());
    }

    /** As the trace's own clock has it; of traces without dates nothing. */
    static Optional<String> date(Trace trace, long millis) {
        if (trace.date().isEmpty()) {
            return Optional.empty();
        }
        Instant at = Instant.ofEpochMilli(trace.date().getAsLong() + millis);
        return Optional.of(DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(LocalDateTime.ofInstant(at, ZoneOffset.UTC)));
    }

    private static Map<String, Object> classes(TraceStatistics statistics) {
        Map<String, Object> fields = new LinkedHashMap<>();
        for (JobClass jobClass : JobClass.values()) {
            fields.put(jobClass.label(), statistics.jobsOfClass(jobClass));
        }
        return fields;
    }

    private static List<Object> sizes(TraceStatistics statistics) {
        List<Object> rows = new ArrayList<>();
        statistics.sizes().forEach((gpus, part) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("gpus", gpus);
            put(row, part);
            rows.add(row);
        });
        return rows;
    }

    private static Map<String, Object> durations(TraceStatistics statistics) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("min", seconds(statistics.quantile(0)));
        fields.put("p10", seconds(statistics.quantile(0.1)));
        fields.put("median", seconds(statistics.quantile(0.5)));
        fields.put("mean", seconds(statistics.meanSeconds()));
        fields.put("p90", seconds(statistics.quantile(0.9)));
        fields.put("p99", seconds(statistics.quantile(0.99)));
        fields.put("max", seconds(statistics.quantile(1)));
        List<Object> bars = new ArrayList<>();
        long[] jobs = statistics.durationCounts();
        for (int i = 0; i < jobs.length; i++) {
            Map<String, @Nullable Object> bar = new LinkedHashMap<>();
            bar.put("fromSeconds", TraceStatistics.DURATION_BINS.get(i));
            bar.put("toSeconds", i + 1 < jobs.length ? TraceStatistics.DURATION_BINS.get(i + 1) : null);
            bar.put("jobs", jobs[i]);
            bars.add(bar);
        }
        fields.put("histogram", bars);
        return fields;
    }

    private static List<Object> parts(Map<String, GroupTotals> byName) {
        List<Object> rows = new ArrayList<>();
        byName.forEach((name, part) -> {
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("name", name);
            put(row, part);
            rows.add(row);
        });
        return rows;
    }

    private static void put(Map<String, Object> row, GroupTotals part) {
        row.put("jobs", part.jobs());
        row.put("gpuSeconds", seconds(part.gpuSeconds()));
    }

    private static Map<String, Object> cluster(ClusterInput cluster, SelectedTrace part, TraceStatistics statistics) {
        Map<String, Object> fields = new LinkedHashMap<>();
        int gpus = cluster.topology().gpuCount();
        fields.put("name", cluster.name());
        fields.put("gpus", gpus);
        fields.put("load", statistics.spanSeconds() > 0 ? RunFields.rounded(statistics.load(gpus), 4) : null);
        fields.put("tooLarge", tooLarge(part, gpus));
        return fields;
    }

    static long tooLarge(SelectedTrace part, int gpus) {
        return part.records().stream().filter(r -> r.minGpus() > gpus).count();
    }

    private static List<Long> list(long[] values) {
        return Arrays.stream(values).boxed().toList();
    }

    private static BigDecimal seconds(double value) {
        return RunFields.rounded(value, 3);
    }
}
