package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.FactLines;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Page;
import dev.fermata.live.store.RunRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One data folder, many daemons, each killed at a random moment under load; then the reckoning. */
final class Ordeal {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int PER_DAEMON = 8;
    private static final long DRAIN_SECONDS = 240;

    private final Path data;
    private final String store;
    private final Path notebook;
    private final SplittableRandom random;
    /** Which job each key became, as the client was told. */
    private final Map<String, Long> accepted = new TreeMap<>();
    /** Keys whose answer got lost: asked again with the next daemon. */
    private final Map<String, ObjectNode> unanswered = new TreeMap<>();

    private final Map<Long, String> kinds = new HashMap<>();
    private int keys;
    /** How long the last daemon took to come up. */
    private long startMillis = 1500;

    private int kills;

    Ordeal(Path folder, String store, long seed) {
        this.data = folder.resolve("data");
        this.store = store;
        this.notebook = folder.resolve("notebook");
        this.random = new SplittableRandom(seed);
    }

    int kills() {
        return kills;
    }

    /** Kills as many daemons, then lets one live until every job has ended. */
    void suffer(int times) throws Exception {
        while (kills < times) {
            Process daemon = start();
            try {
                long begin = System.nanoTime();
                if (random.nextInt(4) == 0) {
                    daemon.waitFor(random.nextLong(startMillis), TimeUnit.MILLISECONDS); // somewhere in its start-up
                } else {
                    Client client = client(daemon);
                    startMillis = Math.max(100, (System.nanoTime() - begin) / 1_000_000);
                    load(client, daemon);
                }
            } finally {
                daemon.destroyForcibly();
                assertThat(daemon.waitFor(20, TimeUnit.SECONDS)).isTrue();
            }
            assertThat(daemon.exitValue()).as("killed, not stopped by itself").isEqualTo(137);
            kills++;
        }
        Process last = start();
        try {
            Client client = client(last);
            for (String key : List.copyOf(unanswered.keySet())) {
                ask(client, key);
            }
            assertThat(unanswered).isEmpty();
            awaitEnd();
            last.getOutputStream().close();
            assertThat(last.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(last.exitValue()).isZero();
        } finally {
            last.destroyForcibly();
        }
    }

    private Process start() throws IOException {
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-Xmx160m",
                "-cp",
                System.getProperty("java.class.path"),
                CrashingDaemon.class.getName(),
                data.toString(),
                store);
        Files.createDirectories(data);
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        data.resolveSibling("daemon.log").toFile()))
                .start();
    }

    private Client client(Process daemon) throws IOException {
        BufferedReader out = daemon.inputReader(StandardCharsets.UTF_8);
        String line = out.readLine();
        while (line != null && !line.startsWith("READY ")) {
            assertThat(line).doesNotStartWith("STOPPED");
            line = out.readLine();
        }
        assertThat(line).as("the daemon came up; its log: %s", log()).isNotNull();
        String[] parts = line.split(" ", -1);
        return new Client(parts[1], parts[2]);
    }

    private String log() throws IOException {
        Path log = data.resolveSibling("daemon.log");
        List<String> lines = Files.exists(log) ? Files.readAllLines(log) : List.of();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    }

    // ---- load ----

    private static CompletableFuture<Void> killAfter(Process daemon, long millis) {
        return CompletableFuture.runAsync(
                daemon::destroyForcibly, CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS));
    }

    /** Asks for this and that until nobody answers any more: the end comes soon after the first answer, or before it. */
    private void load(Client client, Process daemon) throws InterruptedException {
        boolean early = random.nextInt(4) == 0;
        CompletableFuture<Void> end = early ? killAfter(daemon, random.nextInt(200)) : new CompletableFuture<>();
        for (String key : List.copyOf(unanswered.keySet())) {
            ask(client, key);
        }
        for (int asked = 0; daemon.isAlive(); asked++) {
            if (asked == 1 && !early) {
                end = killAfter(daemon, random.nextInt(1500));
            }
            if (asked > 0 && !accepted.isEmpty() && random.nextInt(4) == 0) {
                List<Long> ids = accepted.values().stream().sorted().toList();
                client.cancel(ids.get(ids.size() - 1 - random.nextInt(Math.min(6, ids.size()))));
            } else if (asked < PER_DAEMON) {
                String key = "key-" + keys++;
                unanswered.put(key, wish());
                ask(client, key);
            } else {
                daemon.waitFor(20, TimeUnit.MILLISECONDS);
            }
        }
        end.cancel(false); // it may have died of something else
    }

    private void ask(Client client, String key) throws InterruptedException {
        ObjectNode job = java.util.Objects.requireNonNull(unanswered.get(key));
        OptionalLong id = client.submit(key, job);
        if (id.isPresent()) {
            accepted.put(key, id.getAsLong());
            kinds.put(id.getAsLong(), job.path("name").asText());
            unanswered.remove(key);
        }
    }

    /** A quick job, one that fails, a trial that wants to start now, or a longer one that saves what it did when asked to leave. */
    private ObjectNode wish() {
        int kind = random.nextInt(4);
        String name = List.of("quick", "fails", "trial", "steps").get(kind);
        String say = "say() { echo \"$FERMATA_JOB_ID $FERMATA_ATTEMPT $CUDA_VISIBLE_DEVICES $1\" >> " + notebook
                + "; }; say start; ";
        String over = "trap '' TERM; say end"; // from here on it is not to be stopped
        String body = switch (name) {
            case "quick" -> "sleep 0.0" + random.nextInt(10) + "; " + over;
            case "fails" -> "sleep 0.05; say failed; exit 3";
            case "trial" -> "sleep 0.1; " + over;
            default ->
                "at=$(cat $FERMATA_CHECKPOINT_DIR/at 2>/dev/null || echo 0); "
                        + "trap 'echo $at > $FERMATA_CHECKPOINT_DIR/at; say saved; exit 75' TERM; "
                        + "while [ $at -lt 20 ]; do sleep 0.05; at=$((at + 1)); say step; done; " + over;
        };
        ObjectNode job = JSON.createObjectNode();
        job.put("name", name);
        job.put("class", name.equals("trial") ? "trial" : "batch");
        job.put("gpus", 1 + random.nextInt(2));
        job.putObject("preempt").put("grace", "2s");
        return job.put("run", say + body);
    }

    private void awaitEnd() throws InterruptedException {
        try (Store read = Stores.open(store, data)) {
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DRAIN_SECONDS);
            Map<JobState, Long> counts = read.reader().counts();
            while (counts.entrySet().stream().anyMatch(e -> !e.getKey().isFinal() && e.getValue() > 0)) {
                assertThat(System.nanoTime()).as("jobs still live: %s", counts).isLessThan(end);
                Thread.sleep(100);
                counts = read.reader().counts();
            }
        }
    }

    // ---- the reckoning ----

    void check() throws IOException {
        Notebook notes = Notebook.read(notebook);
        notes.checkOneAttemptAtATime();
        notes.checkNoGpuIsGivenTwice();
        assertThat(accepted.values()).as("one job for each key").doesNotHaveDuplicates();
        try (Store read = Stores.open(store, data)) {
            List<JobRow> rows = read.reader()
                    .jobs(new JobQuery(Set.of(), "", "", "", -1, Long.MAX_VALUE, Page.MOST))
                    .rows();
            assertThat(rows).as("jobs nobody was told of").hasSameSizeAs(accepted.values());
            int attempts = 0;
            int pauses = 0;
            for (JobRow row : rows) {
                checkJob(row, read.reader().runs(row.id()), notes);
                attempts += row.attempt();
                pauses += row.preemptions();
            }
            long lines = checkHistory(read.reader());
            System.out.printf(
                    "%s: %d kills, %d jobs %s, %d attempts, %d pauses, %d lines%n",
                    read.address(), kills, rows.size(), read.reader().counts(), attempts, pauses, lines);
        }
    }

    private void checkJob(JobRow row, List<RunRow> runs, Notebook notes) {
        String what = row + " " + runs;
        assertThat(accepted.containsValue(row.id())).as(what).isTrue();
        assertThat(row.state().isFinal()).as(what).isTrue();
        assertThat(runs).as(what).hasSize(row.attempt());
        assertThat(runs).as(what).allMatch(run -> !run.outcome().isEmpty() && run.leftMillis() >= run.startedMillis());
        boolean fails = "fails".equals(kinds.get(row.id()));
        long ends = notes.count(row.id(), "end");
        long failures = notes.count(row.id(), "failed");
        if (row.state() == JobState.COMPLETED) {
            // one that was through when it was asked to leave, and caught the signal, counts as paused (docs/jobs.md)
            long through = runs.stream()
                    .filter(run -> run.outcome().equals("PAUSED") && Integer.valueOf(0).equals(run.exitCode()))
                    .count();
            assertThat(ends).as(what).isBetween(1L, 1 + through);
            assertThat(row.exitCode()).as(what).isZero();
            assertThat(fails).as(what).isFalse();
        } else if (row.state() == JobState.FAILED) {
            // one that fails after it was asked to leave counts as lost, and may fail again
            long lost =
                    runs.stream().filter(run -> run.outcome().equals("LOST")).count();
            assertThat(failures).as(what).isBetween(1L, 1 + lost);
            assertThat(row.exitCode()).as(what).isEqualTo(3);
            assertThat(fails).as(what).isTrue();
        } else {
            assertThat(row.state()).as(what).isEqualTo(JobState.CANCELLED);
            assertThat(ends).as(what).isLessThanOrEqualTo(1);
        }
    }

    /** The lines have no gaps, fit together, and end every job once. */
    private long checkHistory(Store.Reader reader) {
        Topology cluster =
                Topology.builder().node(new GpuType("any", 1 << 20, 1.0), 3).build();
        FactLines facts = new FactLines(cluster);
        Scheduler again =
                new Scheduler(cluster, PolicySpec.parse("fifo").create(), (job, now) -> 1, GuardMode.FULL, false);
        List<Long> ended = new ArrayList<>();
        long seq = 0;
        @Nullable Page<Line> page = null;
        while (page == null || page.more()) {
            page = reader.lines(new LineQuery(seq, 0, -1, "", Set.of(), 1000));
            for (Line line : page.rows()) {
                assertThat(line.seq()).isEqualTo(++seq);
                Fact fact = facts.fact(line).orElseThrow();
                again.replay(line.atMillis(), fact);
                if (fact instanceof Fact.Ended
                        || (fact instanceof Fact.Left left && left.next().isFinal())) {
                    ended.add(fact.jobId());
                }
            }
        }
        assertThat(ended).doesNotHaveDuplicates().hasSameSizeAs(accepted.values());
        assertThat(again.jobs()).isEmpty();
        return seq;
    }
}
