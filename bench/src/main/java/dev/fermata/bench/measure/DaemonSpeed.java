package dev.fermata.bench.measure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Measures the latencies that users of a daemon see, over its API, against a daemon in another process. */
public final class DaemonSpeed {
    private static final int GPUS = 8;
    private static final int CLIENTS = 16;
    private static final int BATCH = 100;
    private static final String BLOCKER = "exec sleep 100000";

    /** One figure. {@code upperBound} says whether the aim is a maximum or a minimum. */
    public record Measurement(String name, double value, String unit, double target, boolean upperBound) {
        public boolean isMet() {
            return upperBound ? value <= target : value >= target;
        }
    }

    /** How much of everything. */
    public record BenchmarkSize(
            int singles, int batched, int starts, int historyJobs, int oneSecondJobs, int live, int idleSeconds) {
        public static final BenchmarkSize FULL =
                new BenchmarkSize(4_000, 20_000, 60, 100_000, 20 * HistoryGenerator.GPUS, 10_000, 10);
        public static final BenchmarkSize QUICK =
                new BenchmarkSize(400, 2_000, 15, 5_000, 3 * HistoryGenerator.GPUS, 1_000, 2);
    }

    private final Path folder;
    private final BenchmarkSize size;
    private final BooleanSupplier stop;
    private final Consumer<String> progress;
    private final List<Measurement> figures = new ArrayList<>();

    private DaemonSpeed(Path folder, BenchmarkSize size, BooleanSupplier stop, Consumer<String> progress) {
        this.folder = folder;
        this.size = size;
        this.stop = stop;
        this.progress = progress;
    }

    /** Measures in this folder, which must be empty; stops early, with the figures so far, on request. */
    public static List<Measurement> measure(
            Path folder, BenchmarkSize size, BooleanSupplier stop, Consumer<String> progress)
            throws IOException, InterruptedException {
        DaemonSpeed speed = new DaemonSpeed(folder, size, stop, progress);
        speed.measureFresh();
        if (!stop.getAsBoolean()) {
            speed.measureWithHistory();
        }
        return speed.figures;
    }

    /** A new data folder: submits, starts, memory. */
    private void measureFresh() throws IOException, InterruptedException {
        Path data = Files.createDirectory(folder.resolve("fresh"));
        try (ChildDaemon daemon = ChildDaemon.start(data, GPUS)) {
            figures.add(new Measurement("from the command to ready, first time", daemon.readySeconds, "s", 10, true));
            DaemonClient api = daemon.api();
            progress.accept("idle for " + size.idleSeconds + " s");
            double before = daemon.cpuSeconds();
            Thread.sleep(size.idleSeconds * 1000L);
            double idle = (daemon.cpuSeconds() - before) / size.idleSeconds;
            figures.add(new Measurement("CPU while idle, share of a core", 100 * idle, "%", 1, true));
            progress.accept("starting " + size.starts + " jobs on free GPUs");
            figures.add(new Measurement("submit to process running, median", startMillis(api, data), "ms", 50, true));
            long blocker = submit(api, HistoryGenerator.job("blocker", GPUS, BLOCKER))
                    .get(0)
                    .asLong();
            progress.accept(size.singles + " submits one by one from " + CLIENTS + " clients");
            figures.add(
                    new Measurement("durable submits, one by one, 16 clients", submitSingly(daemon), "/s", 500, false));
            progress.accept(size.batched + " submits in batches of " + BATCH);
            figures.add(new Measurement("durable submits, batches of 100", submitBatches(api), "/s", 2_000, false));
            while (api.get("diag").path("pendingJobs").asInt() < size.live && !stop.getAsBoolean()) {
                submitBatch(api);
            }
            figures.add(new Measurement(
                    "live jobs", api.get("diag").path("pendingJobs").asInt(), "", size.live, false));
            figures.add(new Measurement(
                    "heap in use with them, after collection",
                    daemon.heapMebibytes(),
                    "MiB",
                    ChildDaemon.HEAP_MIB,
                    true));
            drainAndWait(api, blocker);
        }
    }

    /** Drains the node, cancels the blocking job and waits until no job runs, so that no process outlives the benchmark. */
    private static void drainAndWait(DaemonClient api, long blocker) throws InterruptedException {
        api.post("nodes/" + api.listAll("nodes").get(0).path("name").asText() + "/drain");
        api.delete("jobs/" + blocker);
        while (api.get("diag").path("runningJobs").asInt() > 0) {
            Thread.sleep(20);
        }
    }

    /** A data folder with a past: restart and lists. */
    private void measureWithHistory() throws IOException, InterruptedException {
        Path data = Files.createDirectory(folder.resolve("grown"));
        progress.accept("running " + size.historyJobs + " jobs");
        HistoryGenerator.GeneratedHistory generated = HistoryGenerator.live(data, size.historyJobs, 0, stop);
        figures.add(
                new Measurement("learning, share of the time to decide", 100 * generated.settledShare(), "%", 5, true));
        figures.add(new Measurement("the same, from a cold start", 100 * generated.learningShare(), "%", 5, true));
        progress.accept("running " + size.oneSecondJobs + " jobs of a second");
        Path slow = Files.createDirectory(folder.resolve("slow"));
        double share =
                HistoryGenerator.live(slow, size.oneSecondJobs, 1_000, stop).learningShare();
        figures.add(new Measurement("the same, 1 s jobs submitted at once", 100 * share, "%", 5, true));
        try (ChildDaemon daemon = ChildDaemon.start(data, GPUS)) {
            DaemonClient api = daemon.api();
            figures.add(new Measurement("ended jobs in the history", generated.ended(), "", size.historyJobs, false));
            figures.add(new Measurement(
                    "restart to first decision with them",
                    api.get("diag").path("recoverySeconds").asDouble(),
                    "s",
                    5,
                    true));
            figures.add(new Measurement("the same, from the command to ready", daemon.readySeconds, "s", 10, true));
            figures.add(new Measurement(
                    "a page of `ls --all` (100 jobs), median", pageMillis(api, "jobs?limit=100"), "ms", 200, true));
            figures.add(new Measurement(
                    "the live ones, median", pageMillis(api, "jobs?state=live&limit=100"), "ms", 200, true));
        }
    }

    private double startMillis(DaemonClient api, Path data) throws IOException, InterruptedException {
        LatencySample latencies = new LatencySample();
        for (int i = 0; i < size.starts && !stop.getAsBoolean(); i++) {
            Path mark = data.resolve("mark-" + i);
            ObjectNode job = HistoryGenerator.job(
                    "start-" + i, 1, "date +%s%N > " + mark + ".part && mv " + mark + ".part " + mark);
            long begin = System.currentTimeMillis();
            submit(api, job);
            while (!Files.exists(mark)) {
                Thread.sleep(2);
            }
            long ran = Long.parseLong(Files.readString(mark).strip());
            latencies.add(Math.max(0, ran - begin * 1_000_000));
        }
        return latencies.percentileMicros(50) / 1000;
    }

    private double submitSingly(ChildDaemon daemon) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<Integer>> clients = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                DaemonClient api = daemon.api();
                clients.add(() -> {
                    int done = 0;
                    for (; done < size.singles / CLIENTS && !stop.getAsBoolean(); done++) {
                        submit(api, HistoryGenerator.job("single", GPUS, "true"));
                    }
                    return done;
                });
            }
            long begin = System.nanoTime();
            long done = 0;
            for (Future<Integer> client : pool.invokeAll(clients)) {
                done += client.get();
            }
            return done * 1e9 / (System.nanoTime() - begin);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        } finally {
            pool.shutdownNow();
        }
    }

    private double submitBatches(DaemonClient api) {
        long begin = System.nanoTime();
        int done = 0;
        for (; done < size.batched && !stop.getAsBoolean(); done += BATCH) {
            submitBatch(api);
        }
        return done * 1e9 / (System.nanoTime() - begin);
    }

    private static void submitBatch(DaemonClient api) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode jobs = body.putArray("jobs");
        for (int i = 0; i < BATCH; i++) {
            jobs.add(HistoryGenerator.job("batch-" + i, GPUS, "true"));
        }
        api.post("jobs", body, Map.of());
    }

    private static JsonNode submit(DaemonClient api, ObjectNode job) {
        return api.post("jobs", job, Map.of()).path("ids");
    }

    private double pageMillis(DaemonClient api, String path) {
        LatencySample latencies = new LatencySample();
        for (int i = 0; i < 20 && !stop.getAsBoolean(); i++) {
            long begin = System.nanoTime();
            api.get(path);
            latencies.add(System.nanoTime() - begin);
        }
        return latencies.percentileMicros(50) / 1000;
    }
}
