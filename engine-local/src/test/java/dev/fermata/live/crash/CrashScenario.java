package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RowPage;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
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

/** One data folder, many daemons, each killed at a random moment under load; then the checks. */
final class CrashScenario {
    private static final JsonMapper JSON = new JsonMapper();
    private static final int JOBS_PER_DAEMON = 8;
    /** At the end some job must end within this time. */
    private static final long DRAIN_SECONDS = 240;
    /** How long the engine stays without a daemon after some of the kills; 0 for no such outage. */
    private static final int OUTAGE_SECONDS = Integer.getInteger("fermata.crash.outage", 0);

    private static final int KILLS_PER_OUTAGE = 50;

    private final DaemonLauncher launcher;
    private final Path data;
    private final String store;
    private final Path journalFile;
    private final SplittableRandom random;
    /** The job of each key, as acknowledged. */
    private final Map<String, Long> accepted = new TreeMap<>();
    /** Keys without an answer: repeated with the next daemon. */
    private final Map<String, ObjectNode> unanswered = new TreeMap<>();

    private final Map<Long, String> jobTypes = new HashMap<>();
    private int keys;
    /** How long the last daemon took to start. */
    private long startMillis = 1500;

    private int kills;

    CrashScenario(DaemonLauncher launcher, Path folder, String store, long seed) {
        this.launcher = launcher;
        this.data = folder.resolve("data");
        this.store = store;
        this.journalFile = folder.resolve("journal");
        this.random = new SplittableRandom(seed);
    }

    int kills() {
        return kills;
    }

    /** Kills so many daemons, then lets one live until every job has ended. */
    void runWithKills(int times) throws Exception {
        while (kills < times) {
            Process daemon = start();
            try {
                long begin = System.nanoTime();
                if (random.nextInt(4) == 0) {
                    daemon.waitFor(random.nextLong(startMillis), TimeUnit.MILLISECONDS); // during its start-up
                } else {
                    CrashClient client = client(daemon);
                    startMillis = Math.max(100, (System.nanoTime() - begin) / 1_000_000);
                    load(client, daemon);
                }
            } catch (StoreAwayException e) {
                continue; // as a service manager would start it again
            } finally {
                daemon.destroyForcibly();
                assertThat(daemon.waitFor(2, TimeUnit.MINUTES)).isTrue();
            }
            assertThat(daemon.exitValue()).as("killed, not stopped by itself").isEqualTo(137);
            kills++;
            if (OUTAGE_SECONDS > 0 && kills % KILLS_PER_OUTAGE == KILLS_PER_OUTAGE / 2) {
                TimeUnit.SECONDS.sleep(OUTAGE_SECONDS); // jobs go on and end while no daemon watches
            }
        }
        Process last = start();
        try {
            CrashClient client = client(last);
            for (String key : List.copyOf(unanswered.keySet())) {
                submit(client, key);
            }
            assertThat(unanswered).isEmpty();
            awaitEnd();
            last.getOutputStream().close();
            assertThat(last.waitFor(2, TimeUnit.MINUTES)).isTrue();
            assertThat(last.exitValue()).isZero();
        } finally {
            last.destroyForcibly();
        }
    }

    private Process start() throws IOException {
        Files.createDirectories(data);
        return launcher.start(data, store);
    }

    private CrashClient client(Process daemon) throws IOException {
        BufferedReader out = daemon.inputReader(StandardCharsets.UTF_8);
        String entry = out.readLine();
        while (entry != null && !entry.startsWith("READY ")) {
            assertThat(entry).doesNotStartWith("STOPPED");
            entry = out.readLine();
        }
        if (entry == null && log().contains("does not accept connections")) {
            throw new StoreAwayException(); // on a machine under heavy load a database may not answer in time
        }
        assertThat(entry).as("the daemon came up; its log: %s", log()).isNotNull();
        String[] parts = entry.split(" ", -1);
        return new CrashClient(parts[1], parts[2]);
    }

    /** The daemon could not reach its database when it started, and ended. */
    private static final class StoreAwayException extends IOException {
        private static final long serialVersionUID = 1;
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

    /** Sends random requests until there is no answer: the kill comes soon after the first answer, or before it. */
    private void load(CrashClient client, Process daemon) throws InterruptedException {
        boolean early = random.nextInt(4) == 0;
        CompletableFuture<Void> end = early ? killAfter(daemon, random.nextInt(200)) : new CompletableFuture<>();
        for (String key : List.copyOf(unanswered.keySet())) {
            submit(client, key);
        }
        for (int asked = 0; daemon.isAlive(); asked++) {
            if (asked == 1 && !early) {
                end = killAfter(daemon, random.nextInt(1500));
            }
            if (asked > 0 && !accepted.isEmpty() && random.nextInt(4) == 0) {
                List<Long> ids = accepted.values().stream().sorted().toList();
                client.cancel(ids.get(ids.size() - 1 - random.nextInt(Math.min(6, ids.size()))));
            } else if (asked < JOBS_PER_DAEMON) {
                String key = "key-" + keys++;
                unanswered.put(key, randomJob());
                submit(client, key);
            } else {
                daemon.waitFor(20, TimeUnit.MILLISECONDS);
            }
        }
        end.cancel(false); // it may have died of something else
    }

    private void submit(CrashClient client, String key) throws InterruptedException {
        ObjectNode job = java.util.Objects.requireNonNull(unanswered.get(key));
        OptionalLong id = client.submit(key, job);
        if (id.isPresent()) {
            accepted.put(key, id.getAsLong());
            jobTypes.put(id.getAsLong(), job.path("name").asText());
            unanswered.remove(key);
        }
    }

    /** A quick job, one that fails, a trial that must start now, or a longer one that saves its work on request. */
    private ObjectNode randomJob() {
        boolean outlivesDaemons = random.nextInt(16) == 0;
        String name = outlivesDaemons
                ? "long"
                : List.of("quick", "fails", "trial", "steps").get(random.nextInt(4));
        String say = "say() { echo \"$FERMATA_JOB_ID $FERMATA_ATTEMPT $CUDA_VISIBLE_DEVICES $1\" >> " + journalFile
                + "; }; say start; ";
        String over = "trap '' TERM; say end"; // from here on it ignores the signal
        String body = switch (name) {
            case "quick" -> "sleep 0.0" + random.nextInt(10) + "; " + over;
            case "fails" -> "sleep 0.05; say failed; exit 3";
            case "trial" -> "sleep 0.1; " + over;
            default ->
                "at=$(cat $FERMATA_CHECKPOINT_DIR/at 2>/dev/null || echo 0); "
                        + "trap 'echo $at > $FERMATA_CHECKPOINT_DIR/at; say saved; exit 75' TERM; "
                        + "while [ $at -lt 20 ]; do sleep " + (outlivesDaemons ? "1" : "0.05")
                        + "; at=$((at + 1)); say step; done; " + over;
        };
        ObjectNode job = JSON.createObjectNode();
        job.put("name", name);
        job.put("class", name.equals("trial") ? "trial" : "batch");
        job.put("gpus", 1 + random.nextInt(2));
        job.putObject("preempt").put("grace", "20s"); // enough for a job that gets little CPU time
        return job.put("run", say + body);
    }

    private void awaitEnd() throws InterruptedException {
        try (Store read = StoreFactory.open(store, data)) {
            long progressNanos = System.nanoTime();
            long liveBefore = Long.MAX_VALUE;
            for (long live = liveJobs(read); live > 0; live = liveJobs(read)) {
                if (live < liveBefore) {
                    liveBefore = live;
                    progressNanos = System.nanoTime();
                }
                assertThat(System.nanoTime() - progressNanos)
                        .as("jobs still live: %s", live)
                        .isLessThan(TimeUnit.SECONDS.toNanos(DRAIN_SECONDS));
                Thread.sleep(100);
            }
        }
    }

    private static long liveJobs(Store read) {
        return read.reader().countsByState().entrySet().stream()
                .filter(count -> !count.getKey().isFinal())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    // ---- checks ----

    void check() throws IOException {
        JobJournal journal = JobJournal.read(journalFile);
        journal.checkOneAttemptAtATime();
        journal.checkNoGpuIsGivenTwice();
        assertThat(accepted.values()).as("one job for each key").doesNotHaveDuplicates();
        try (Store read = StoreFactory.open(store, data)) {
            List<JobRow> rows = read.reader()
                    .jobs(new JobQuery(Set.of(), "", "", "", -1, Long.MAX_VALUE, RowPage.MAX_ROWS))
                    .rows();
            assertThat(rows).as("jobs that were not acknowledged").hasSameSizeAs(accepted.values());
            int attempts = 0;
            int preemptions = 0;
            for (JobRow row : rows) {
                checkJob(row, read.reader().attempts(row.id()), journal);
                attempts += row.attempt();
                preemptions += row.preemptions();
            }
            long lines = checkHistory(read.reader());
            System.out.printf(
                    "%s: %d kills, %d jobs %s, %d attempts, %d pauses, %d lines%n",
                    read.address(), kills, rows.size(), read.reader().countsByState(), attempts, preemptions, lines);
        }
    }

    private void checkJob(JobRow row, List<AttemptRow> attempts, JobJournal journal) {
        String what = row + " " + attempts;
        assertThat(accepted.containsValue(row.id())).as(what).isTrue();
        assertThat(row.state().isFinal()).as(what).isTrue();
        assertThat(attempts).as(what).hasSize(row.attempt());
        assertThat(attempts)
                .as(what)
                .allMatch(run -> !run.outcome().isEmpty() && run.endedMillis() >= run.startedMillis());
        boolean fails = "fails".equals(jobTypes.get(row.id()));
        long ends = journal.count(row.id(), "end");
        long failures = journal.count(row.id(), "failed");
        if (row.state() == JobState.COMPLETED) {
            // one that was done when it was told to exit, and caught the signal, counts as preempted
            // (docs/user/jobs.md)
            long through = attempts.stream()
                    .filter(run -> run.outcome().equals("PREEMPTED")
                            && Integer.valueOf(0).equals(run.exitCode()))
                    .count();
            assertThat(ends).as(what).isBetween(1L, 1 + through);
            assertThat(row.exitCode()).as(what).isZero();
            assertThat(fails).as(what).isFalse();
        } else if (row.state() == JobState.FAILED) {
            // one that fails after it was told to exit counts as lost, and may fail again
            long lost = attempts.stream()
                    .filter(run -> run.outcome().equals("LOST"))
                    .count();
            assertThat(failures).as(what).isBetween(1L, 1 + lost);
            assertThat(row.exitCode()).as(what).isEqualTo(3);
            assertThat(fails).as(what).isTrue();
        } else {
            assertThat(row.state()).as(what).isEqualTo(JobState.CANCELLED);
            assertThat(ends).as(what).isLessThanOrEqualTo(1);
        }
    }

    /** The history has no gaps, is consistent, and ends every job once. */
    private long checkHistory(Store.StoreReader reader) {
        HistoryEntry first = reader.history(new HistoryQuery(0, 0, -1, "", Set.of(), 1))
                .rows()
                .get(0);
        Topology cluster = HistoryCodec.clusterOf(first).orElseThrow();
        HistoryCodec codec = new HistoryCodec(cluster);
        Scheduler replayed =
                new Scheduler(cluster, PolicySpec.parse("fifo").create(), (job, now) -> 1, GuardMode.FULL, false);
        List<Long> ended = new ArrayList<>();
        long seq = 0;
        @Nullable RowPage<HistoryEntry> page = null;
        while (page == null || page.more()) {
            page = reader.history(new HistoryQuery(seq, 0, -1, "", Set.of(), 1000));
            for (HistoryEntry entry : page.rows()) {
                assertThat(entry.seq()).isEqualTo(++seq);
                HistoryRecord record = codec.decode(entry).orElseThrow();
                replayed.replay(entry.atMillis(), record);
                if (record instanceof HistoryRecord.JobEnded
                        || (record instanceof HistoryRecord.AttemptEnded left
                                && left.next().isFinal())) {
                    ended.add(record.jobId());
                }
            }
        }
        assertThat(ended).doesNotHaveDuplicates().hasSameSizeAs(accepted.values());
        assertThat(replayed.jobs()).isEmpty();
        return seq;
    }
}
