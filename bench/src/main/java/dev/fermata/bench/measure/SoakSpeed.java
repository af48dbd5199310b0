package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.fermata.bench.measure.DaemonSpeed.Measurement;
import dev.fermata.bench.measure.SoakHistory.SoakCounts;
import dev.fermata.bench.measure.SoakHistory.SoakSize;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Measures a daemon, in the heap with which it is shipped, on the history of months. */
public final class SoakSpeed {
    private static final int GPUS = 8;
    private static final int SCRAPES = 100;
    private static final int ROUNDS = 20;
    private static final long PAUSE_MILLIS = 1_000;
    private static final double LONGEST_NANOS = 900e9;
    private static final Pattern PREEMPTED = Pattern.compile("(?m)^fermata_preemption_log_preempted_jobs ([0-9.E]+)$");

    /** What a user or an operator may ask of a long history. */
    private static final List<String> QUESTIONS = List.of(
            "/metrics",
            "/api/v1/overview",
            "/api/v1/jobs?limit=1000",
            "/api/v1/jobs?state=live&limit=1000",
            "/api/v1/jobs?name=eval&user=user7&limit=1000",
            "/api/v1/history?limit=1000",
            "/api/v1/preemptions?limit=1000",
            "/api/v1/preemptions/summary?by=user",
            "/api/v1/diag/starts?days=90",
            "/api/v1/diag/estimates",
            "/api/v1/profiles",
            "/api/v1/audit?limit=1000");

    private SoakSpeed() {}

    /** Makes the history in this folder, unless it has one. */
    public static List<Measurement> measure(
            Path folder, int jobs, int days, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        if (isEmpty(folder)) {
            progress.accept("running " + jobs + " jobs in " + days + " days of virtual time");
            SoakCounts made = SoakHistory.make(folder, new SoakSize(jobs, days), stop);
            progress.accept("made: " + made.jobs() + " jobs, " + made.preemptions() + " preemptions");
        }
        progress.accept("restarting");
        try (ChildDaemon daemon = ChildDaemon.start(folder, GPUS)) {
            return measure(daemon, jobs / 2, stop, progress);
        }
    }

    private static List<Measurement> measure(
            ChildDaemon daemon, int preemptions, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        List<Measurement> figures = new ArrayList<>();
        JsonNode diag = daemon.api().get("diag");
        HttpClient http = DaemonUser.newHttp();
        DaemonUser operator = DaemonUser.of(daemon.api(), http, "soak", "operator");
        figures.add(new Measurement(
                "restart to first decision", diag.path("recoverySeconds").asDouble(), "s", 5, true));
        figures.add(new Measurement("from the command to ready", daemon.readySeconds, "s", 10, true));

        figures.add(new Measurement("CPU until then", daemon.cpuSeconds(), "s", 20, true));

        progress.accept("scraping metrics while the preemption log is read");
        long begin = System.nanoTime();
        LatencySample early = new LatencySample();
        double known = preempted(timed(operator, "/metrics", early));
        double before = -1;
        while ((known == 0 || known != before) && !stop.getAsBoolean() && System.nanoTime() - begin < LONGEST_NANOS) {
            Thread.sleep(PAUSE_MILLIS);
            before = known;
            known = preempted(timed(operator, "/metrics", early));
        }
        figures.add(new Measurement("preemptions in the preemption log", known, "", preemptions * 0.99, false));
        figures.add(new Measurement("until they are summed up", (System.nanoTime() - begin) / 1e9, "s", 600, true));
        figures.add(millis("/metrics meanwhile, slowest of " + early.count(), early, 100));
        double heap = daemon.heapMebibytes();
        figures.add(new Measurement("heap in use, after collection", heap, "MiB", ChildDaemon.HEAP_MIB / 2.0, true));

        LatencySample scrapes = new LatencySample();
        double cpu = daemon.cpuSeconds();
        for (int i = 0; i < SCRAPES && !stop.getAsBoolean(); i++) {
            timed(operator, "/metrics", scrapes);
        }
        double scrapeMillis = (daemon.cpuSeconds() - cpu) * 1000 / Math.max(1, scrapes.count());
        figures.add(new Measurement(
                "CPU of one of " + SCRAPES + " scrapes of /metrics then", scrapeMillis, "ms", 100, true));
        figures.add(new Measurement("the same, median time", scrapes.percentileMicros(50) / 1000, "ms", 100, true));
        figures.add(millis("the same, slowest", scrapes, 100));
        progress.accept("requesting everything, " + ROUNDS + " times");
        LatencySample answers = new LatencySample();
        for (int i = 0; i < ROUNDS && !stop.getAsBoolean(); i++) {
            for (String question : QUESTIONS) {
                timed(operator, question, answers);
            }
        }
        figures.add(millis("the slowest of " + answers.count() + " requests of many sorts", answers, 5_000));
        figures.add(new Measurement(
                "heap in use after them, more than before", daemon.heapMebibytes() - heap, "MiB", 64, true));
        return figures;
    }

    private static Measurement millis(String what, LatencySample sample, double most) {
        return new Measurement(what, sample.percentileMicros(100) / 1000, "ms", most, true);
    }

    private static String timed(DaemonUser user, String path, LatencySample sample)
            throws IOException, InterruptedException {
        long begin = System.nanoTime();
        HttpResponse<String> answer = user.get(path);
        sample.add(System.nanoTime() - begin);
        if (answer.statusCode() != 200) {
            throw new IOException(path + " answered " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    private static double preempted(String metrics) {
        Matcher found = PREEMPTED.matcher(metrics);
        return found.find() ? Double.parseDouble(found.group(1)) : 0;
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findAny().isEmpty();
        }
    }
}
