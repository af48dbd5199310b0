package dev.fermata.app.bench;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.JobQuery;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Line;
import dev.fermata.live.store.LineQuery;
import dev.fermata.live.store.Recovery;
import dev.fermata.live.store.RunRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** How fast a store is: on its own, then with a long history in it. */
public final class StoreSpeed {
    /** How much of each is done. */
    public record Amount(int singles, int batches, int historyJobs) {}

    /**
     * What came out.
     *
     * @param singles durable appends of one job, one after the other
     * @param jobsPerSecond jobs submitted in batches of {@link #BATCH}
     * @param linesPerSecond lines of history in batches of {@link #LINES}
     * @param recoverySeconds from opening the store to everything a daemon goes on from
     * @param firstPage the newest hundred jobs
     * @param livePage the newest hundred that have not ended, of which there are few
     * @param userPage the newest hundred of a user who has one in a thousand
     * @param queuePage the jobs of a queue that nobody uses: everything is looked at
     * @param jobHistory all lines of one job
     */
    public record Result(
            String store,
            Latencies singles,
            double singlesPerSecond,
            double jobsPerSecond,
            double linesPerSecond,
            int historyJobs,
            long historyLines,
            double recoverySeconds,
            Latencies firstPage,
            Latencies livePage,
            Latencies userPage,
            Latencies queuePage,
            Latencies jobHistory) {}

    public static final int BATCH = 100;
    public static final int LINES = 1000;
    private static final int LINES_PER_JOB = 6;
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
    public Result measure(Amount amount, Consumer<String> progress) {
        Latencies singles = new Latencies();
        double singlesPerSecond;
        double jobsPerSecond;
        double linesPerSecond;
        String address;
        try (Store store = Stores.open(where, folder)) {
            address = store.address();
            Recovery recovery = store.recover(() -> false)
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
            linesPerSecond =
                    perSecond(amount.batches * LINES, repeat(amount.batches, () -> store.append(linesOnly(LINES))));
            progress.accept("a history of " + amount.historyJobs + " jobs …");
            for (long first = 1; first <= job; first += CHUNK) {
                store.append(endedNow(first, Math.min(job, first + CHUNK - 1)));
            }
            repeat(amount.historyJobs / CHUNK, () -> store.append(ended(CHUNK)));
            store.saveImage(seq, "{}");
            store.append(submissions(LIVE));
        }
        Latencies[] reads = new Latencies[5];
        double recoverySeconds;
        progress.accept("recovery and reading …");
        long begin = System.nanoTime();
        try (Store store = Stores.open(where, folder)) {
            long next = store.recover(() -> false).orElseThrow().nextSeq();
            recoverySeconds = (System.nanoTime() - begin) / 1e9;
            if (next != seq + 1) {
                throw new IllegalStateException(
                        address + " lost lines: " + seq + " were written, " + (next - 1) + " are there");
            }
            Store.Reader reader = store.reader();
            Set<JobState> live = Set.of(JobState.PENDING, JobState.STARTING, JobState.RUNNING, JobState.PAUSING);
            reads[0] = times(() -> reader.jobs(query(Set.of(), "", "")));
            reads[1] = times(() -> reader.jobs(query(live, "", "")));
            reads[2] = times(() -> reader.jobs(query(Set.of(), "user7", "")));
            reads[3] = times(() -> reader.jobs(query(Set.of(), "", "nobody/here")));
            reads[4] = times(() -> reader.lines(new LineQuery(0, 0, job / 2, "", Set.of(), 100)));
        }
        return new Result(
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

    private Latencies times(Runnable read) {
        Latencies sample = new Latencies();
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
        List<Line> lines = new ArrayList<>();
        List<JobRow> rows = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            rows.add(row(++job, JobState.PENDING));
            lines.add(line(job, "Submitted"));
        }
        return new Batch(lines, rows, List.of(), List.of(), List.of());
    }

    private Batch linesOnly(int count) {
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(line(1 + i % job, "Running"));
        }
        return new Batch(lines, List.of(), List.of(), List.of(), List.of());
    }

    private Batch endedNow(long first, long last) {
        List<JobRow> rows = new ArrayList<>();
        for (long id = first; id <= last; id++) {
            rows.add(row(id, JobState.COMPLETED));
        }
        return new Batch(List.of(), rows, List.of(), List.of(), List.of());
    }

    /** Jobs with all of their life. */
    private Batch ended(int jobs) {
        List<Line> lines = new ArrayList<>();
        List<JobRow> rows = new ArrayList<>();
        List<RunRow> runs = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            rows.add(row(++job, JobState.COMPLETED));
            runs.add(new RunRow(job, 1, "0,1", 1, 2, -1, 9, "COMPLETED", 0, 0, "", 1, 7, 0, 0, 0, -1, 0, 0, ""));
            for (int k = 0; k < LINES_PER_JOB; k++) {
                lines.add(line(job, "Running"));
            }
        }
        return new Batch(lines, rows, runs, List.of(), List.of());
    }

    private Line line(long about, String kind) {
        return new Line(
                ++seq,
                1_000_000 + seq,
                about,
                1,
                "policy",
                kind,
                "{\"jobId\":" + about + ",\"attempt\":1,\"paceMicro\":1000000}");
    }

    private static JobRow row(long id, JobState state) {
        boolean ended = state.isFinal();
        return new JobRow(
                id,
                "train-" + id,
                "user" + id % 1000,
                "research/nlp",
                "batch",
                4,
                0,
                state,
                ended ? 1 : 0,
                0,
                1_000_000 + id,
                2_000_000 + id,
                ended ? 1_500_000 : -1,
                ended ? 2_000_000 + id : -1,
                500,
                700,
                "",
                false,
                ended ? Integer.valueOf(0) : null,
                "",
                -1,
                0,
                SPEC);
    }
}
