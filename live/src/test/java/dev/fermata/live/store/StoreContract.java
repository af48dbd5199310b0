package dev.fermata.live.store;

import static dev.fermata.live.store.Samples.NASTY;
import static dev.fermata.live.store.Samples.allLines;
import static dev.fermata.live.store.Samples.everything;
import static dev.fermata.live.store.Samples.job;
import static dev.fermata.live.store.Samples.line;
import static dev.fermata.live.store.Samples.lines;
import static dev.fermata.live.store.Samples.run;
import static dev.fermata.live.store.Samples.submitted;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every store does, whatever it is made of. */
abstract class StoreContract {
    @TempDir
    Path folder;

    private Store store;

    /** A store of its own for each test: {@code sqlite}, or the address of an empty database. */
    abstract String where();

    /** A connection behind the store's back. */
    abstract Connection backdoor() throws SQLException;

    @BeforeEach
    void open() {
        store = Stores.open(where(), folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    final Store store() {
        return store;
    }

    final Recovery lead() {
        return store.recover(() -> false).orElseThrow();
    }

    final Recovery reopened() {
        store.close();
        store = Stores.open(where(), folder);
        return lead();
    }

    final void execute(String sql) throws SQLException {
        try (Connection connection = backdoor();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Batch pairs(PairRow... rows) {
        return new Batch(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(rows));
    }

    @Test
    void aNewStoreBeginsWithNothing() {
        assertThat(lead())
                .isEqualTo(new Recovery(Optional.empty(), 0, List.of(), List.of(), List.of(), 1, 1, Home.NONE));
        assertThat(store.reader().jobs(everything(10)).rows()).isEmpty();
        assertThat(store.reader().counts().values()).containsOnly(0L);
    }

    @Test
    void whereTheJobsRunIsKeptAndARefusalToLeadChangesNothing() throws Exception {
        Home home = new Home("id", "folder on machine");
        store.recover(() -> false, found -> home);
        assertThat(reopened().home()).isEqualTo(home);
        store.append(submitted(1, 1, 1, "ada"));
        try (Store other = Stores.open(where(), folder)) {
            store.close();
            assertThatThrownBy(() -> other.recover(() -> false, found -> {
                        throw new StoreException(
                                "not from here: " + found.home().place(), false);
                    }))
                    .hasMessage("not from here: folder on machine");
            assertThatThrownBy(() -> other.append(submitted(2, 2, 1, "ada")))
                    .hasMessageContaining("only the leading daemon");
        }
        Recovery again = reopened();
        assertThat(again.home()).isEqualTo(home);
        assertThat(again.nextSeq()).isEqualTo(2);
    }

    @Test
    void theWritersOwnReaderDoesNotWaitForOthers() throws Exception {
        lead();
        CountDownLatch leave = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> slow = new ArrayList<>();
        CountDownLatch busy = new CountDownLatch(4);
        for (int i = 0; i < 8; i++) {
            slow.add(CompletableFuture.supplyAsync(
                    () -> ((SqlReader) store.reader()).ask("read slowly", "SELECT 1", statement -> {
                        busy.countDown();
                        try {
                            return leave.await(30, TimeUnit.SECONDS);
                        } catch (InterruptedException e) {
                            return false;
                        }
                    }),
                    task -> new Thread(task, "slow-reader").start()));
        }
        busy.await();
        long begin = System.nanoTime();
        assertThat(store.ownReader().submission("ada", "k")).isEmpty();
        assertThat(System.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(4));
        assertThat(slow).noneMatch(CompletableFuture::isDone);
        leave.countDown();
        for (CompletableFuture<Boolean> one : slow) {
            assertThat(one.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void everyRowComesBackAsItWasGiven() {
        lead();
        Line line = new Line(1, Long.MIN_VALUE, -1, Integer.MAX_VALUE, NASTY, NASTY, NASTY);
        JobRow job = new JobRow(
                7,
                NASTY,
                NASTY,
                NASTY,
                NASTY,
                1,
                -2,
                JobState.FAILED,
                3,
                4,
                5,
                6,
                7,
                8,
                9,
                Long.MAX_VALUE,
                NASTY,
                true,
                -9,
                NASTY,
                11,
                12,
                NASTY);
        JobRow bare = job(8, "", JobState.PENDING);
        RunRow run =
                new RunRow(7, 2, NASTY, 1, 2, 3, 4, NASTY, null, 9, NASTY, 5, 6, 7, 8, 9, 10, -11, Long.MIN_VALUE, "");
        Submission submission = new Submission(NASTY, NASTY, NASTY, 7, 2, 99);
        AuditRow audit = new AuditRow(0, 5, NASTY, NASTY, NASTY, NASTY, NASTY, NASTY);
        store.append(new Batch(
                List.of(line), List.of(job, bare), List.of(run, run(7, 1)), List.of(submission), List.of(audit)));

        Recovery recovery = reopened();
        assertThat(recovery.lines()).containsExactly(line);
        assertThat(recovery.live()).containsExactly(bare);
        assertThat(recovery.nextSeq()).isEqualTo(2);
        assertThat(recovery.nextJobId()).isEqualTo(9);
        assertThat(store.reader().job(7)).contains(job);
        assertThat(store.reader().job(9)).isEmpty();
        assertThat(store.reader().runs(7)).containsExactly(run(7, 1), run);
        assertThat(store.reader().submission(NASTY, NASTY)).contains(submission);
        assertThat(store.reader().submission(NASTY, "other")).isEmpty();
        AuditRow kept = store.reader().audit(Long.MAX_VALUE, 10).rows().get(0);
        assertThat(kept).isEqualTo(new AuditRow(kept.seq(), 5, NASTY, NASTY, NASTY, NASTY, NASTY, NASTY));
    }

    @Test
    void whatWasLearnedComesBackAndTheLatestCounts() {
        lead();
        KindRow first = new KindRow(NASTY, NASTY, NASTY, 4, 10, 1, NASTY);
        KindRow second = new KindRow("train.py", "", "H100", 1, 20, 2, "{}");
        KindRow newer = new KindRow(NASTY, NASTY, NASTY, 4, 30, 3, "{\"later\":1}");
        EstimateRow start = new EstimateRow(7, "start", 5, NASTY, 1, 2, 3, 4, 5);
        EstimateRow half = new EstimateRow(7, "half", 6, "LEARNED", 1, 2, 3, 4, 5);
        RunRow run = new RunRow(7, 1, "", 0, 0, 0, 0, "", null, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, NASTY);
        store.append(new Batch(
                List.of(), List.of(), List.of(run), List.of(), List.of(), List.of(first, second), List.of(start)));
        store.append(
                new Batch(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(newer), List.of(half, start)));
        PairRow slow = new PairRow(NASTY, "train.py", "H100", 10, "{}");
        PairRow fast = new PairRow("train.py", NASTY, "H100", 10, NASTY);
        PairRow slower = new PairRow(NASTY, "train.py", "H100", 20, NASTY);
        store.append(pairs(slow, fast));
        store.append(pairs(slower));

        assertThat(store.reader().kinds(10)).containsExactly(second, newer);
        KindRow withImage = new KindRow("train.py", "", "H100", 1, 25, 4, "{\"image\":1}");
        store.saveImage(0, "image", List.of(withImage));
        assertThatThrownBy(() -> store.saveImage(1, "ahead", List.of(second))).isInstanceOf(StoreException.class);

        Recovery unused = reopened();
        assertThat(store.reader().kinds(10)).containsExactly(withImage, newer);
        assertThat(store.reader().kinds(1)).containsExactly(newer);
        assertThat(store.reader().pairs(10)).containsExactly(fast, slower);
        assertThat(store.reader().pairs(1)).containsExactly(slower);
        assertThat(store.reader().estimates(7)).containsExactly(start, half);
        assertThat(store.reader().settledEstimates(6, 10)).containsExactly(half);
        assertThat(store.reader().settledEstimates(0, 1)).containsExactly(half);
        assertThat(store.reader().runs(7)).containsExactly(run);
    }

    @Test
    void scriptsOfAMegabyteAreKeptAndLeftOutOfPages() {
        lead();
        String script = "x".repeat(1 << 20) + NASTY;
        JobRow plain = job(1, "ada", JobState.RUNNING);
        JobRow job = withSpec(plain, script);
        store.append(new Batch(List.of(), List.of(job), List.of(), List.of(), List.of()));
        assertThat(store.reader().job(1)).contains(job);
        assertThat(store.reader().jobs(everything(10)).rows()).containsExactly(withSpec(plain, ""));
        store.append(new Batch(List.of(), List.of(withSpec(plain, "{}")), List.of(), List.of(), List.of()));
        assertThat(store.reader().job(1).orElseThrow().spec()).isEqualTo("{}");
    }

    @Test
    void aNulNeverStopsTheHistory() {
        lead();
        store.append(lines(new Line(1, 2, -1, 0, "a\0b", "k", "\0")));
        assertThat(reopened().lines()).containsExactly(new Line(1, 2, -1, 0, "a\uFFFDb", "k", "\uFFFD"));
    }

    @Test
    void rowsReplaceThoseOfTheSameKey() {
        lead();
        store.append(submitted(1, 1, 1, "ada"));
        RunRow first = run(1, 1);
        RunRow later = new RunRow(1, 1, "", 0, 0, 0, 0, "", null, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, "");
        store.append(new Batch(
                List.of(),
                List.of(job(1, "ada", JobState.STARTING), job(1, "ada", JobState.RUNNING)),
                List.of(first, later),
                List.of(new Submission("ada", "k", "d1", 1, 1, 1), new Submission("ada", "k", "d2", 2, 2, 2)),
                List.of()));
        assertThat(store.reader().job(1).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        assertThat(store.reader().runs(1)).containsExactly(later);
        assertThat(store.reader().submission("ada", "k")).contains(new Submission("ada", "k", "d2", 2, 2, 2));
        assertThat(store.reader().counts()).containsEntry(JobState.RUNNING, 1L).containsEntry(JobState.PENDING, 0L);
    }

    @Test
    void aBatchThatFailsAtItsEndLeavesNothing() throws SQLException {
        lead();
        store.append(submitted(1, 1, 2, "ada"));
        refuseAudit();
        Batch batch = new Batch(
                List.of(line(3, 3, "Submitted")),
                List.of(job(3, "ada", JobState.PENDING), job(1, "ada", JobState.RUNNING)),
                List.of(run(1, 1)),
                List.of(new Submission("ada", "k", "d", 3, 1, 1)),
                List.of(new AuditRow(0, 1, "ada", "USER", "", "submit", "3", "refused by the test")));
        assertThatThrownBy(() -> store.append(batch)).isInstanceOf(StoreException.class);
        assertThat(store.reader().job(3)).isEmpty();
        assertThat(store.reader().job(1).orElseThrow().state()).isEqualTo(JobState.PENDING);
        assertThat(store.reader().runs(1)).isEmpty();
        assertThat(store.reader().submission("ada", "k")).isEmpty();
        assertThat(store.reader().lines(allLines(0, 10)).rows()).hasSize(2);
        allowAudit();
        store.append(batch);
        assertThat(store.reader().lines(allLines(0, 10)).rows()).hasSize(3);
        assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
    }

    /** Makes the database refuse rows of the audit trail, the last to be written of a batch. */
    abstract void refuseAudit() throws SQLException;

    abstract void allowAudit() throws SQLException;

    @Test
    void linesWithoutTheirPredecessorAreRefused() {
        lead();
        store.append(lines(line(1, 1, "A"), line(2, 1, "B")));
        for (Batch wrong : List.of(
                lines(line(4, 1, "C")),
                lines(line(2, 1, "B")),
                lines(line(3, 1, "C"), line(5, 1, "D")),
                lines(line(3, 1, "C"), line(3, 1, "C")))) {
            assertThatThrownBy(() -> store.append(wrong))
                    .isInstanceOfSatisfying(
                            StoreException.class, e -> assertThat(e.passing()).isFalse());
        }
        store.append(lines(line(3, 1, "C")));
        assertThat(store.reader().lines(allLines(0, 10)).rows())
                .containsExactly(line(1, 1, "A"), line(2, 1, "B"), line(3, 1, "C"));
    }

    @Test
    void onlyTheLeaderWrites() {
        assertThatThrownBy(() -> store.append(lines(line(1, 1, "A"))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("only the leading daemon");
        assertThatThrownBy(() -> store.saveImage(0, "{}")).isInstanceOf(StoreException.class);
        lead();
        store.append(Batch.EMPTY);
        store.append(lines(line(1, 1, "A")));
    }

    @Test
    void recoveryGoesOnFromTheLastImage() {
        lead();
        store.append(submitted(1, 1, 3, "ada"));
        store.saveImage(3, "three");
        store.append(new Batch(
                List.of(line(4, 2, "Started"), line(5, 3, "Ended")),
                List.of(job(2, "ada", JobState.RUNNING), job(3, "ada", JobState.CANCELLED)),
                List.of(run(2, 1), run(2, 2), run(3, 1)),
                List.of(),
                List.of()));
        Recovery recovery = reopened();
        assertThat(recovery.image()).contains("three");
        assertThat(recovery.imageSeq()).isEqualTo(3);
        assertThat(recovery.lines()).extracting(Line::seq).containsExactly(4L, 5L);
        assertThat(recovery.live()).extracting(JobRow::id).containsExactly(1L, 2L);
        assertThat(recovery.liveRuns()).containsExactly(run(2, 2));
        assertThat(recovery.nextSeq()).isEqualTo(6);
        assertThat(recovery.nextJobId()).isEqualTo(4);

        store.saveImage(4, "four");
        store.saveImage(5, NASTY);
        assertThat(reopened().image()).contains(NASTY);
        assertThatThrownBy(() -> store.saveImage(6, "ahead")).isInstanceOf(StoreException.class);
        assertThat(store.reader().lines(allLines(0, 10)).rows()).hasSize(5);
    }

    @Test
    void theLastTwoImagesAreKept() throws SQLException {
        lead();
        store.append(submitted(1, 1, 4, "ada"));
        for (long seq = 1; seq <= 4; seq++) {
            store.saveImage(seq, "image " + seq);
        }
        try (Connection connection = backdoor();
                Statement statement = connection.createStatement();
                var result = statement.executeQuery("SELECT MIN(seq), COUNT(*) FROM image")) {
            result.next();
            assertThat(List.of(result.getLong(1), result.getLong(2))).containsExactly(3L, 2L);
        }
    }

    @Test
    void theJobsThatEndedLastComeFirst() {
        lead();
        store.append(new Batch(
                List.of(),
                List.of(
                        job(1, "ada", JobState.COMPLETED),
                        job(2, "ada", JobState.RUNNING),
                        job(3, "ada", JobState.FAILED),
                        job(4, "ada", JobState.OOM)),
                List.of(),
                List.of(),
                List.of()));
        assertThat(store.reader().ended(2))
                .containsExactly(job(4, "ada", JobState.OOM), job(3, "ada", JobState.FAILED));
        assertThat(store.reader().ended(0)).isEmpty();
    }

    @Test
    void tokensAreFoundByTheirHashUntilTheyAreRevoked() {
        TokenRow token = new TokenRow("t1", "hash", "ada", "ADMIN", NASTY, 5, -1, -1);
        TokenRow other = new TokenRow("t2", "other", "bob", "VIEWER", "", 4, 10, -1);
        store.tokens().add(token);
        store.tokens().add(other);
        assertThat(store.tokens().byHash("hash")).contains(token);
        assertThat(store.tokens().byHash("nothing")).isEmpty();
        assertThat(store.tokens().all()).containsExactly(other, token);
        assertThatThrownBy(() -> store.tokens().add(token)).isInstanceOf(StoreException.class);
        assertThat(store.tokens().revoke("t1", 77)).isTrue();
        assertThat(store.tokens().revoke("t1", 78)).isFalse();
        assertThat(store.tokens().revoke("t3", 78)).isFalse();
        assertThat(store.tokens().byHash("hash").orElseThrow().revokedMillis()).isEqualTo(77);
    }

    @Test
    void readersSeeWholeBatchesWhileOthersAreWritten() throws InterruptedException {
        lead();
        AtomicBoolean done = new AtomicBoolean();
        List<Throwable> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
        List<Thread> readers = java.util.stream.IntStream.range(0, 6)
                .mapToObj(i -> new Thread(
                        () -> {
                            try {
                                while (!done.get()) {
                                    long jobs = store.reader().counts().getOrDefault(JobState.PENDING, 0L);
                                    assertThat(jobs % 7)
                                            .as("jobs in batches of 7")
                                            .isZero();
                                    assertThat(store.reader()
                                                    .jobs(new JobQuery(
                                                            Set.of(), "ada", "", "", -1, Long.MAX_VALUE, 100))
                                                    .rows()
                                                    .size())
                                            .isGreaterThanOrEqualTo((int) Math.min(100, jobs));
                                }
                            } catch (Throwable e) {
                                wrong.add(e);
                            }
                        },
                        "reader-" + i))
                .toList();
        readers.forEach(Thread::start);
        try {
            for (int i = 0; i < 150; i++) {
                store.append(submitted(1 + 7L * i, 1 + 7L * i, 7, "ada"));
            }
        } finally {
            done.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(store.reader().counts()).containsEntry(JobState.PENDING, 1050L);
    }

    @Test
    void tokensMayBeMadeWhileTheHistoryIsWritten() throws InterruptedException {
        lead();
        List<Throwable> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
        Thread maker = new Thread(() -> {
            try {
                for (int i = 0; i < 50; i++) {
                    store.tokens().add(new TokenRow("t" + i, "h" + i, "ada", "USER", "", i, -1, -1));
                }
            } catch (RuntimeException e) {
                wrong.add(e);
            }
        });
        maker.start();
        for (int i = 0; i < 50; i++) {
            store.append(submitted(1 + i, 1 + i, 1, "ada"));
        }
        maker.join();
        assertThat(wrong).isEmpty();
        assertThat(store.tokens().all()).hasSize(50);
        assertThat(reopened().nextSeq()).isEqualTo(51);
    }

    @Test
    void aClosedStoreSaysSo() {
        store.close();
        assertThatThrownBy(() -> store.append(lines(line(1, 1, "A"))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> store.reader().job(1)).isInstanceOf(StoreException.class);
    }

    static JobRow withSpec(JobRow row, String spec) {
        return new JobRow(
                row.id(),
                row.name(),
                row.user(),
                row.queue(),
                row.jobClass(),
                row.gpus(),
                row.priority(),
                row.state(),
                row.attempt(),
                row.preemptions(),
                row.submittedMillis(),
                row.sinceMillis(),
                row.firstStartMillis(),
                row.finishedMillis(),
                row.waitMillis(),
                row.runMillis(),
                row.held(),
                row.onHold(),
                row.exitCode(),
                row.detail(),
                row.arrayId(),
                row.arrayIndex(),
                spec);
    }
}
