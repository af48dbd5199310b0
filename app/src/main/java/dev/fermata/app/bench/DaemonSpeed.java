package dev.fermata.app.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.app.client.Door;
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

/** What users of a daemon wait for, measured over its API against a daemon in a process of its own. */
public final class DaemonSpeed {
    private static final int GPUS = 8;
    private static final int CLIENTS = 16;
    private static final int BATCH = 100;
    private static final String BLOCKER = "exec sleep 100000";

    /** One figure. {@code most} tells whether the aim is a ceiling or a floor. */
    public record Figure(String what, double value, String unit, double aim, boolean most) {
        public boolean met() {
            return most ? value <= aim : value >= aim;
        }
    }

    /** How much of everything. */
    public record Size(int singles, int batched, int starts, int past, int lasting, int live, int idleSeconds) {
        public static final Size FULL = new Size(4_000, 20_000, 60, 100_000, 20 * LivedHistory.GPUS, 10_000, 10);
        public static final Size QUICK = new Size(400, 2_000, 15, 5_000, 3 * LivedHistory.GPUS, 1_000, 2);
    }

    private final Path folder;
    private final Size size;
    private final BooleanSupplier stop;
    private final Consumer<String> says;
    private final List<Figure> figures = new ArrayList<>();

    private DaemonSpeed(Path folder, Size size, BooleanSupplier stop, Consumer<String> says) {
        this.folder = folder;
        this.size = size;
        this.stop = stop;
        this.says = says;
    }

    /** Measures in this folder, which must be empty; stops early, with the figures so far, when told to. */
    public static List<Figure> measure(Path folder, Size size, BooleanSupplier stop, Consumer<String> says)
            throws IOException, InterruptedException {
        DaemonSpeed speed = new DaemonSpeed(folder, size, stop, says);
        speed.fresh();
        if (!stop.getAsBoolean()) {
            speed.grown();
        }
        return speed.figures;
    }

    /** A new data folder: submits, starts, memory. */
    private void fresh() throws IOException, InterruptedException {
        Path data = Files.createDirectory(folder.resolve("fresh"));
        try (DaemonProcess daemon = DaemonProcess.start(data, GPUS)) {
            figures.add(new Figure("from the command to ready, first time", daemon.readySeconds, "s", 10, true));
            Door door = daemon.door();
            says.accept("idle for " + size.idleSeconds + " s");
            double before = daemon.cpuSeconds();
            Thread.sleep(size.idleSeconds * 1000L);
            double idle = (daemon.cpuSeconds() - before) / size.idleSeconds;
            figures.add(new Figure("CPU while idle, share of a core", 100 * idle, "%", 1, true));
            says.accept("starting " + size.starts + " jobs on free GPUs");
            figures.add(new Figure("submit to process running, median", startMillis(door, data), "ms", 50, true));
            long blocker = submit(door, LivedHistory.job("blocker", GPUS, BLOCKER))
                    .get(0)
                    .asLong();
            says.accept(size.singles + " submits one by one from " + CLIENTS + " clients");
            figures.add(new Figure("durable submits, one by one, 16 clients", singles(daemon), "/s", 500, false));
            says.accept(size.batched + " submits in batches of " + BATCH);
            figures.add(new Figure("durable submits, batches of 100", batches(door), "/s", 2_000, false));
            while (door.get("diag").path("pendingJobs").asInt() < size.live && !stop.getAsBoolean()) {
                batch(door);
            }
            figures.add(
                    new Figure("live jobs", door.get("diag").path("pendingJobs").asInt(), "", size.live, false));
            figures.add(new Figure("heap in use with them, after collection", heapMebibytes(daemon), "MiB", 256, true));
            empty(door, blocker);
        }
    }

    /** Lets nothing start any more and ends what runs, so that no process outlives the bench. */
    private static void empty(Door door, long blocker) throws InterruptedException {
        door.post("nodes/" + door.all("nodes").get(0).path("name").asText() + "/drain");
        door.delete("jobs/" + blocker);
        while (door.get("diag").path("runningJobs").asInt() > 0) {
            Thread.sleep(20);
        }
    }

    /** A data folder with a past: restart and lists. */
    private void grown() throws IOException, InterruptedException {
        Path data = Files.createDirectory(folder.resolve("grown"));
        says.accept("living through " + size.past + " jobs");
        LivedHistory.Lived lived = LivedHistory.live(data, size.past, 0, stop);
        figures.add(new Figure("learning, share of the time to decide", 100 * lived.settledShare(), "%", 5, true));
        figures.add(new Figure("the same, from a cold start", 100 * lived.learningShare(), "%", 5, true));
        says.accept("living through " + size.lasting + " jobs of a second");
        Path slow = Files.createDirectory(folder.resolve("slow"));
        double share = LivedHistory.live(slow, size.lasting, 1_000, stop).learningShare();
        figures.add(new Figure("the same, 1 s jobs submitted at once", 100 * share, "%", 5, true));
        try (DaemonProcess daemon = DaemonProcess.start(data, GPUS)) {
            Door door = daemon.door();
            figures.add(new Figure("ended jobs in the history", lived.ended(), "", size.past, false));
            figures.add(new Figure(
                    "restart to first decision with them",
                    door.get("diag").path("restartSeconds").asDouble(),
                    "s",
                    5,
                    true));
            figures.add(new Figure("the same, from the command to ready", daemon.readySeconds, "s", 10, true));
            figures.add(new Figure(
                    "a page of `ls --all` (100 jobs), median", pageMillis(door, "jobs?limit=100"), "ms", 200, true));
            figures.add(new Figure(
                    "the live ones, median", pageMillis(door, "jobs?state=live&limit=100"), "ms", 200, true));
        }
    }

    private double startMillis(Door door, Path data) throws IOException, InterruptedException {
        Latencies latencies = new Latencies();
        for (int i = 0; i < size.starts && !stop.getAsBoolean(); i++) {
            Path mark = data.resolve("mark-" + i);
            ObjectNode job =
                    LivedHistory.job("start-" + i, 1, "date +%s%N > " + mark + ".part && mv " + mark + ".part " + mark);
            long begin = System.currentTimeMillis();
            submit(door, job);
            while (!Files.exists(mark)) {
                Thread.sleep(2);
            }
            long ran = Long.parseLong(Files.readString(mark).strip());
            latencies.add(Math.max(0, ran - begin * 1_000_000));
        }
        return latencies.percentileMicros(50) / 1000;
    }

    private double singles(DaemonProcess daemon) throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Callable<Integer>> clients = new ArrayList<>();
            for (int c = 0; c < CLIENTS; c++) {
                Door door = daemon.door();
                clients.add(() -> {
                    int done = 0;
                    for (; done < size.singles / CLIENTS && !stop.getAsBoolean(); done++) {
                        submit(door, LivedHistory.job("single", GPUS, "true"));
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

    private double batches(Door door) {
        long begin = System.nanoTime();
        int done = 0;
        for (; done < size.batched && !stop.getAsBoolean(); done += BATCH) {
            batch(door);
        }
        return done * 1e9 / (System.nanoTime() - begin);
    }

    private static void batch(Door door) {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        ArrayNode jobs = body.putArray("jobs");
        for (int i = 0; i < BATCH; i++) {
            jobs.add(LivedHistory.job("batch-" + i, GPUS, "true"));
        }
        door.post("jobs", body, Map.of());
    }

    private static JsonNode submit(Door door, ObjectNode job) {
        return door.post("jobs", job, Map.of()).path("ids");
    }

    private double pageMillis(Door door, String path) {
        Latencies latencies = new Latencies();
        for (int i = 0; i < 20 && !stop.getAsBoolean(); i++) {
            long begin = System.nanoTime();
            door.get(path);
            latencies.add(System.nanoTime() - begin);
        }
        return latencies.percentileMicros(50) / 1000;
    }

    /** Used heap after a collection, from the class histogram's total. */
    private static double heapMebibytes(DaemonProcess daemon) throws IOException, InterruptedException {
        Path jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd");
        Process histogram = new ProcessBuilder(jcmd.toString(), Long.toString(daemon.pid()), "GC.class_histogram")
                .redirectErrorStream(true)
                .start();
        String out = new String(histogram.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        histogram.waitFor();
        String total =
                out.lines().filter(line -> line.startsWith("Total")).findFirst().orElse("Total 0 0");
        return Double.parseDouble(total.split("\\s+")[2]) / (1 << 20);
    }
}
