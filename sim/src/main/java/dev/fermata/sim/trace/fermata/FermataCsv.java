package dev.fermata.sim.trace.fermata;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.PlainNumber;
import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.workload.ModelZoo;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;

/**
 * Fermata's own trace: CSV with a header, columns in any order, the first four required. A job that names a model of the
 * catalogue gets its profile and costs; any other name is kept as a label without a profile.
 */
public final class FermataCsv {
    static final List<String> REQUIRED = List.of("id", "submit_s", "gpus", "duration_s");
    static final List<String> OPTIONAL = List.of(
            "name",
            "user",
            "queue",
            "class",
            "model",
            "batch",
            "gpu_type",
            "gpu_mem_mib",
            "cpus",
            "mem_mib",
            "min_gpus",
            "max_gpus",
            "grace_s",
            "iterations",
            "declared_s",
            "priority");
    private static final double MAX_SECONDS = 4e9;
    private static final Pattern NUMBER = Pattern.compile("0|[1-9][0-9]{0,17}");
    private static final int BYTE_ORDER_MARK = 0xFEFF;

    private final Path file;
    private final Map<String, Profile> labels = new HashMap<>();

    private FermataCsv(Path file) {
        this.file = file;
    }

    /** Reads a trace, gzipped or plain. */
    public static Workload read(Path file) throws IOException {
        return new FermataCsv(file).read();
    }

    private Workload read() throws IOException {
        List<TrueJob> jobs = new ArrayList<>();
        Set<String> ids = new LinkedHashSet<>();
        try (Reader reader = open();
                CsvReader<NamedCsvRecord> csv = CsvReader.builder().ofNamedCsvRecord(reader)) {
            boolean first = true;
            for (NamedCsvRecord line : csv) {
                if (first) {
                    checkHeader(line.getHeader());
                    first = false;
                }
                String id = text(line, "id", "");
                if (id.isEmpty() || !ids.add(id)) {
                    throw new TraceException(
                            file,
                            line.getStartingLineNumber(),
                            "id",
                            id,
                            id.isEmpty() ? "is missing" : "is used twice");
                }
                jobs.add(job(line, jobs.size() + 1));
            }
        }
        if (jobs.isEmpty()) {
            throw new TraceException(file, 1, "the trace has no jobs");
        }
        return new Workload(String.valueOf(file.getFileName()), withIdsOfTrace(jobs, ids));
    }

    /** Jobs are numbered by line unless every id of the trace is a number itself. */
    private static List<TrueJob> withIdsOfTrace(List<TrueJob> jobs, Set<String> ids) {
        if (!ids.stream().allMatch(id -> NUMBER.matcher(id).matches())) {
            return jobs;
        }
        List<TrueJob> renamed = new ArrayList<>(jobs.size());
        Iterator<String> id = ids.iterator();
        for (TrueJob job : jobs) {
            Job own = job.job().withId(Long.parseLong(id.next()));
            renamed.add(new TrueJob(own, job.submitMillis(), job.durationMillis(), job.peakMemoryMib(), job.costs()));
        }
        return renamed;
    }

    private Reader open() throws IOException {
        InputStream bytes = Files.newInputStream(file);
        boolean zipped = file.toString().endsWith(".gz");
        Reader reader = new BufferedReader(
                new InputStreamReader(zipped ? new GZIPInputStream(bytes) : bytes, StandardCharsets.UTF_8));
        reader.mark(1);
        if (reader.read() != BYTE_ORDER_MARK) {
            reader.reset();
        }
        return reader;
    }

    private void checkHeader(List<String> header) {
        List<String> known = new ArrayList<>(REQUIRED);
        known.addAll(OPTIONAL);
        for (String column : header) {
            if (!known.contains(column)) {
                throw new TraceException(file, 1, "unknown column '" + column + "'." + Suggest.among(column, known));
            }
        }
        for (String column : REQUIRED) {
            if (!header.contains(column)) {
                throw new TraceException(
                        file, 1, "column '" + column + "' is missing; required: " + String.join(",", REQUIRED));
            }
        }
    }

    private TrueJob job(NamedCsvRecord line, long number) {
        int gpus = whole(line, "gpus", 0, 1, 1_000_000);
        int min = whole(line, "min_gpus", gpus, 1, 1_000_000);
        int max = whole(line, "max_gpus", Math.max(gpus, min), min, 1_000_000);
        double duration = number(line, "duration_s", 0, 0.001, MAX_SECONDS);
        String label = text(line, "model", "");
        ModelZoo.Entry model = ModelZoo.named(label).orElse(null);
        Profile profile = model == null ? labels.computeIfAbsent(label, Profile.UNKNOWN::named) : model.profile();
        Costs costs = model == null ? Costs.NONE : model.costs();
        int memory = whole(line, "gpu_mem_mib", profile.peakMemoryMib(), 0, 10_000_000);
        String types = text(line, "gpu_type", "");
        Demand demand = new Demand(
                min,
                max,
                memory,
                1000,
                types.isEmpty() ? List.of() : List.of(types.split("\\|", -1)),
                (long) Math.ceil(number(line, "cpus", 0, 0, 1e9) * 1000 / max),
                (long) Math.ceil(number(line, "mem_mib", 0, 0, 1e12) / max));
        String id = text(line, "id", "");
        Job job = Job.builder(number, max)
                .name(text(line, "name", id))
                .user(text(line, "user", "nobody"))
                .queue(text(line, "queue", "default"))
                .jobClass(jobClass(line))
                .demand(demand)
                .profile(profile)
                .costs(costs)
                .declaredMillis(millis(line, "declared_s"))
                .iterations(whole(line, "iterations", 0, 0, Integer.MAX_VALUE))
                .graceMillis(has(line, "grace_s") ? millis(line, "grace_s") : Job.DEFAULT_GRACE_MILLIS)
                .priority(whole(line, "priority", 0, -1000, 1000))
                .build();
        long submit = Math.round(number(line, "submit_s", 0, 0, MAX_SECONDS) * 1000);
        return TrueJob.of(job, submit, Math.max(1, Math.round(duration * 1000)));
    }

    private JobClass jobClass(NamedCsvRecord line) {
        String value = text(line, "class", "batch").toLowerCase(Locale.ROOT);
        return switch (value) {
            case "trial" -> JobClass.TRIAL;
            case "batch" -> JobClass.BATCH;
            default ->
                throw new TraceException(file, line.getStartingLineNumber(), "class", value, "must be trial or batch");
        };
    }

    private static boolean has(NamedCsvRecord line, String field) {
        return line.findField(field).map(v -> !v.isBlank()).orElse(false);
    }

    private static String text(NamedCsvRecord line, String field, String otherwise) {
        return line.findField(field)
                .map(String::strip)
                .filter(v -> !v.isEmpty())
                .orElse(otherwise);
    }

    private long millis(NamedCsvRecord line, String field) {
        return Math.round(number(line, field, 0, 0, MAX_SECONDS) * 1000);
    }

    private int whole(NamedCsvRecord line, String field, int otherwise, int min, int max) {
        double value = number(line, field, otherwise, min, max);
        if (value != Math.rint(value)) {
            throw new TraceException(
                    file, line.getStartingLineNumber(), field, text(line, field, ""), "must be a whole number");
        }
        return (int) value;
    }

    private double number(NamedCsvRecord line, String field, double otherwise, double min, double max) {
        String written = text(line, field, "");
        boolean required = REQUIRED.contains(field);
        if (written.isEmpty() && !required) {
            return otherwise;
        }
        double value;
        try {
            value = PlainNumber.parse(written);
        } catch (NumberFormatException e) {
            throw new TraceException(file, line.getStartingLineNumber(), field, written, "must be a number");
        }
        if (!(value >= min && value <= max)) {
            throw new TraceException(
                    file,
                    line.getStartingLineNumber(),
                    field,
                    written,
                    "must be from " + show(min) + " to " + show(max));
        }
        return value;
    }

    private static String show(double value) {
        return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
    }
}
