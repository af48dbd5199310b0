package dev.fermata.bench.measure;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.HistoryQuery;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RecoveredState;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** Measures the speed of a store: empty, then with a long history in it. */
public final class StoreSpeed {
    /** How much of each is done. */
    public record WriteAmounts(int singles, int batches, int historyJobs) {}

    /**
     * What came out.
     *
     * @param singles durable appends of one job, one after the other
     * @param jobsPerSecond jobs submitted in batches of {@link #BATCH}
     * @param entriesPerSecond history entries in batches of {@link #ENTRIES}
     * @param recoverySeconds from opening the store to the state that a daemon resumes from
     * @param firstPage the newest hundred jobs
     * @param livePage the newest hundred of the few that have not ended
     * @param userPage the newest hundred of a user with one job in a thousand
     * @param queuePage the jobs of an unused queue: every job is looked at
     * @param jobHistory all history entries of one job
     */
    public record StoreTiming(
            String store,
            LatencySample singles,
            double singlesPerSecond,
            double jobsPerSecond,
            double entriesPerSecond,
            int historyJobs,
            long historyEntries,
            double recoverySeconds,
            LatencySample firstPage,
            LatencySample livePage,
            LatencySample userPage,
            LatencySample queuePage,
            LatencySample jobHistory) {}

    public static final int BATCH = 100;
    public static final int ENTRIES = 1000;
    private static final int ENTRIES_PER_JOB = 6;
    private static final int CHUNK = 500;
    private static final int LIVE = 100;
    private static final int REPEATS = 30;
    private static final String SPEC =
            "{\"run\":\"python train.py --lr 1e-4\",\"env\":{" + "\"A\":\"b\",".repeat(100) + "\"Z\":\"z\"}}";

    private final String where;
    private final Path folder;
    private final BooleanSupplier stop;
    private long seq;
    private long job;

    public StoreSpeed(String where, Path folder, BooleanSupplier stop) {
        this.where = where;
        this.folder = folder;
        this.stop = stop;
    }

    /** Writes into the store, which must be empty. Stops early when asked to; what is left out then is zero. */
    public StoreTiming measure(WriteAmounts amount, Consumer<String> progress) {
        LatencySample singles = new LatencySample();
        double singlesPerSecond;
        double jobsPerSecond;
        double linesPerSecond;
        String address;
        try (Store store = StoreFactory.open(where, folder)) {
            address = store.address();
            RecoveredState recovery = store.recover(() -> false)
                    .orElseThrow(() -> new IllegalArgumentException("another daemon works on " + store.address()));
            if (recovery.nextSeq() != 1) {
                throw new IllegalArgumentException(store.address()
                        + " has a history already, and this would write into it: give a database that is empty");
            }
            progress.accept("appends …");
            repeat(amount.singles / 10 + 1, () -> store.append(submissions(1)));
            singlesPerSecond = perSecond(amount.singles, repeat(amount.singles, () -> {
                long begin = System.nanoTime();
                store.append(submissions(1));
                singles.add(System.nanoTime() - begin);
            }));
            jobsPerSecond =
                    perSecond(amount.batches * BATCH, repeat(amount.batches, () -> store.append(submissions(BATCH))));
            linesPerSecond = perSecond(
                    amount.batches * ENTRIES, repeat(amount.batches, () -> store.append(entriesOnly(ENTRIES))));
            progress.accept("a history of " + amount.historyJobs + " jobs …");
            for (long first = 1; first <= job; first += CHUNK) {
                store.append(endJobs(first, Math.min(job, first + CHUNK - 1)));
            }
            repeat(amount.historyJobs / CHUNK, () -> store.append(endedJobs(CHUNK)));
            store.saveSnapshot(seq, "{}");
            store.append(submissions(LIVE));
        }
        LatencySample[] reads = new LatencySample[5];
        double recoverySeconds;
        progress.accept("recovery and reading …");
        long begin = System.nanoTime();
        try (Store store = StoreFactory.open(where, folder)) {
            long next = store.recover(() -> false).orElseThrow().nextSeq();
            recoverySeconds = (System.nanoTime() - begin) / 1e9;
            if (next != seq + 1) {
                throw new IllegalStateException(
                        address + " lost entries: " + seq + " were written, " + (next - 1) + " are there");
            }
            Store.StoreReader reader = store.reader();
            Set<JobState> live = Set.of(JobState.PENDING, JobState.STARTING, JobState.RUNNING, JobState.PREEMPTING);
            reads[0] = timeReads(() -> reader.jobs(query(Set.of(), "", "")));
            reads[1] = timeReads(() -> reader.jobs(query(live, "", "")));
            reads[2] = timeReads(() -> reader.jobs(query(Set.of(), "user7", "")));
            reads[3] = timeReads(() -> reader.jobs(query(Set.of(), "", "no/such")));
            reads[4] = timeReads(() -> reader.history(new HistoryQuery(0, 0, job / 2, "", Set.of(), 100)));
        }
        return new StoreTiming(
                address,
                singles,
                singlesPerSecond,
                jobsPerSecond,
                linesPerSecond,
                (int) job,
                seq,
                recoverySeconds,
                reads[0],
                reads[1],
                reads[2],
                reads[3],
                reads[4]);
    }

    private double repeat(int times, Runnable work) {
        long begin = System.nanoTime();
        for (int i = 0; i < times && !stop.getAsBoolean(); i++) {
            work.run();
        }
        return (System.nanoTime() - begin) / 1e9;
    }

    private static double perSecond(int count, double seconds) {
        return count / Math.max(seconds, 1e-9);
    }

    private LatencySample timeReads(Runnable read) {
        LatencySample sample = new LatencySample();
        repeat(REPEATS, () -> {
            long begin = System.nanoTime();
            read.run();
            sample.add(System.nanoTime() - begin);
        });
        return sample;
    }

    private static JobQuery query(Set<JobState> states, String user, String queue) {
        return new JobQuery(states, user, queue, "", -1, Long.MAX_VALUE, 100);
    }

    private Batch submissions(int jobs) {
        List<HistoryEntry> lines = new ArrayList<>();
        List<JobRow> rows = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            rows.add(row(++job, JobState.PENDING));
            lines.add(entry(job, "Submitted"));
        }
        return new Batch(lines, rows, List.of(), List.of(), List.of());
    }

    private Batch entriesOnly(int count) {
        List<HistoryEntry> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(entry(1 + i % job, "Running"));
        }
        return new Batch(lines, List.of(), List.of(), List.of(), List.of());
    }

    private Batch endJobs(long first, long last) {
        List<JobRow> rows = new ArrayList<>();
        for (long id = first; id <= last; id++) {
            rows.add(row(id, JobState.COMPLETED));
        }
        return new Batch(List.of(), rows, List.of(), List.of(), List.of());
    }

    /** Jobs with all of their life. */
    private Batch endedJobs(int jobs) {
        List<HistoryEntry> lines = new ArrayList<>();
        List<JobRow> rows = new ArrayList<>();
        List<AttemptRow> runs = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            rows.add(row(++job, JobState.COMPLETED));
            runs.add(new AttemptRow(
                    job,
                    1,
                    new AttemptRow.AttemptPlace("0,1", 1, "4711", "GPU-0,GPU-1", ""),
                    new AttemptRow.AttemptTimes(1, 2, -1, 9),
                    new AttemptRow.AttemptResult("COMPLETED", 0, 0, ""),
                    new AttemptRow.AttemptCosts(1, 7, 0, 0, 0),
                    new AttemptRow.PreemptionTrade(-1, 0, 0),
                    ""));
            for (int k = 0; k < ENTRIES_PER_JOB; k++) {
                lines.add(entry(job, "Running"));
            }
        }
        return new Batch(lines, rows, runs, List.of(), List.of());
    }

    private HistoryEntry entry(long about, String variant) {
        return new HistoryEntry(
                ++seq,
                1_000_000 + seq,
                about,
                1,
                "policy",
                variant,
                "{\"jobId\":" + about + ",\"attempt\":1,\"speedMicro\":1000000}");
    }

    private static JobRow row(long id, JobState state) {
        boolean ended = state.isFinal();
        return new JobRow(
                id,
                new JobRow.RequestColumns("train-" + id, "user" + id % 1000, "research/nlp", "batch", 4, 0, -1, 0),
                new JobRow.StatusColumns(state, ended ? 1 : 0, 0, "", false, ended ? Integer.valueOf(0) : null, ""),
                new JobRow.TimeColumns(
                        1_000_000 + id, 2_000_000 + id, ended ? 1_500_000 : -1, ended ? 2_000_000 + id : -1, 500, 700),
                SPEC);
    }
}
