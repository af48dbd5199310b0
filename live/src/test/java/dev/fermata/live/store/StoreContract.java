package dev.fermata.live.store;

import static dev.fermata.live.store.StoreSamples.SPECIAL_CHARACTERS;
import static dev.fermata.live.store.StoreSamples.allEntries;
import static dev.fermata.live.store.StoreSamples.allJobs;
import static dev.fermata.live.store.StoreSamples.attempt;
import static dev.fermata.live.store.StoreSamples.entries;
import static dev.fermata.live.store.StoreSamples.entry;
import static dev.fermata.live.store.StoreSamples.job;
import static dev.fermata.live.store.StoreSamples.submissionBatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
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

/** What every store does, on any database. */
abstract class StoreContract {
    @TempDir
    Path folder;

    private Store store;

    /** A store of its own for each test: {@code sqlite}, or the address of an empty database. */
    abstract String address();

    /** A connection that bypasses the store. */
    abstract Connection directConnection() throws SQLException;

    @BeforeEach
    void open() {
        store = StoreFactory.open(address(), folder);
    }

    @AfterEach
    void close() {
        store.close();
    }

    final Store store() {
        return store;
    }

    final RecoveredState lead() {
        return store.recover(() -> false).orElseThrow();
    }

    final RecoveredState reopen() {
        store.close();
        store = StoreFactory.open(address(), folder);
        return lead();
    }

    final void execute(String sql) throws SQLException {
        try (Connection connection = directConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Batch coRuns(CoRunRow... rows) {
        return new Batch(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(), List.of(rows));
    }

    @Test
    void newStoreIsEmpty() {
        assertThat(lead())
                .isEqualTo(new RecoveredState(
                        Optional.empty(), 0, List.of(), List.of(), List.of(), 1, 1, EngineLocation.NONE));
        assertThat(store.reader().jobs(allJobs(10)).rows()).isEmpty();
        assertThat(store.reader().countsByState().values()).containsOnly(0L);
    }

    @Test
    void engineLocationIsKeptAndARefusedTakeoverChangesNothing() throws Exception {
        EngineLocation engineLocation = new EngineLocation("id", "folder on machine");
        store.recover(() -> false, found -> engineLocation);
        assertThat(reopen().engineLocation()).isEqualTo(engineLocation);
        store.append(submissionBatch(1, 1, 1, "ada"));
        try (Store other = StoreFactory.open(address(), folder)) {
            store.close();
            assertThatThrownBy(() -> other.recover(() -> false, found -> {
                        throw new StoreException(
                                "not from here: " + found.engineLocation().description(), false);
                    }))
                    .hasMessage("not from here: folder on machine");
            assertThatThrownBy(() -> other.append(submissionBatch(2, 2, 1, "ada")))
                    .hasMessageContaining("only the leading daemon");
            // The refused store is still open, and does not keep others from the leadership.
            try (Store third = StoreFactory.open(address(), folder)) {
                assertThat(third.recover(() -> false)).isPresent();
            }
        }
        RecoveredState again = reopen();
        assertThat(again.engineLocation()).isEqualTo(engineLocation);
        assertThat(again.nextSeq()).isEqualTo(2);
    }

    @Test
    void dedicatedReaderDoesNotWaitForOthers() throws Exception {
        lead();
        CountDownLatch leave = new CountDownLatch(1);
        List<CompletableFuture<Boolean>> slow = new ArrayList<>();
        CountDownLatch busy = new CountDownLatch(4);
        for (int i = 0; i < 8; i++) {
            slow.add(CompletableFuture.supplyAsync(
                    () -> ((SqlReader) store.reader()).query("read slowly", "SELECT 1", statement -> {
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
        assertThat(store.dedicatedReader().submission("ada", "k")).isEmpty();
        assertThat(slow).noneMatch(CompletableFuture::isDone);
        leave.countDown();
        for (CompletableFuture<Boolean> one : slow) {
            assertThat(one.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void everyRowIsReadAsWritten() {
        lead();
        HistoryEntry entry = new HistoryEntry(
                1, Long.MIN_VALUE, -1, Integer.MAX_VALUE, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS);
        JobRow job = new JobRow(
                7,
                new JobRow.RequestColumns(
                        SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, 1, -2, 11, 12),
                new JobRow.StatusColumns(JobState.FAILED, 3, 4, SPECIAL_CHARACTERS, true, -9, SPECIAL_CHARACTERS),
                new JobRow.TimeColumns(5, 6, 7, 8, 9, Long.MAX_VALUE),
                SPECIAL_CHARACTERS);
        JobRow bare = job(8, "", JobState.PENDING);
        AttemptRow run = new AttemptRow(
                7,
                2,
                new AttemptRow.AttemptPlace(
                        SPECIAL_CHARACTERS, Long.MAX_VALUE, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS),
                new AttemptRow.AttemptTimes(1, 2, 3, 4),
                new AttemptRow.AttemptResult(SPECIAL_CHARACTERS, null, 9, SPECIAL_CHARACTERS),
                new AttemptRow.AttemptCosts(5, 6, 7, 8, 9),
                new AttemptRow.PreemptionTrade(10, -11, Long.MIN_VALUE),
                "");
        SubmissionRow submission =
                new SubmissionRow(SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, 7, 2, 99);
        AuditRow audit = new AuditRow(
                0,
                5,
                SPECIAL_CHARACTERS,
                SPECIAL_CHARACTERS,
                SPECIAL_CHARACTERS,
                SPECIAL_CHARACTERS,
                SPECIAL_CHARACTERS,
                SPECIAL_CHARACTERS);
        store.append(new Batch(
                List.of(entry), List.of(job, bare), List.of(run, attempt(7, 1)), List.of(submission), List.of(audit)));

        RecoveredState recovery = reopen();
        assertThat(recovery.entries()).containsExactly(entry);
        assertThat(recovery.liveJobs()).containsExactly(bare);
        assertThat(recovery.nextSeq()).isEqualTo(2);
        assertThat(recovery.nextJobId()).isEqualTo(9);
        assertThat(store.reader().job(7)).contains(job);
        assertThat(store.reader().job(9)).isEmpty();
        assertThat(store.reader().attempts(7)).containsExactly(attempt(7, 1), run);
        assertThat(store.reader().submission(SPECIAL_CHARACTERS, SPECIAL_CHARACTERS))
                .contains(submission);
        assertThat(store.reader().submission(SPECIAL_CHARACTERS, "other")).isEmpty();
        AuditRow kept = store.reader().audit(Long.MAX_VALUE, 10).rows().get(0);
        assertThat(kept)
                .isEqualTo(new AuditRow(
                        kept.seq(),
                        5,
                        SPECIAL_CHARACTERS,
                        SPECIAL_CHARACTERS,
                        SPECIAL_CHARACTERS,
                        SPECIAL_CHARACTERS,
                        SPECIAL_CHARACTERS,
                        SPECIAL_CHARACTERS));
    }

    @Test
    void profilesAreReadBackAndTheLatestCounts() {
        lead();
        ProfileRow first = new ProfileRow(
                SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, 4, 10, 1, SPECIAL_CHARACTERS);
        ProfileRow second = new ProfileRow("train.py", "", "H100", 1, 20, 2, "{}");
        ProfileRow newer =
                new ProfileRow(SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, SPECIAL_CHARACTERS, 4, 30, 3, "{\"later\":1}");
        EstimateRow start =
                new EstimateRow(7, "start", 5, SPECIAL_CHARACTERS, 1, new EstimateRow.WorkQuantiles(2, 3, 4), 5);
        EstimateRow half = new EstimateRow(7, "half", 6, "LEARNED", 1, new EstimateRow.WorkQuantiles(2, 3, 4), 5);
        AttemptRow run = StoreSamples.runningAttempt(7, SPECIAL_CHARACTERS);
        store.append(new Batch(
                List.of(), List.of(), List.of(run), List.of(), List.of(), List.of(first, second), List.of(start)));
        store.append(
                new Batch(List.of(), List.of(), List.of(), List.of(), List.of(), List.of(newer), List.of(half, start)));
        CoRunRow slow = new CoRunRow(SPECIAL_CHARACTERS, "train.py", "H100", 10, "{}");
        CoRunRow fast = new CoRunRow("train.py", SPECIAL_CHARACTERS, "H100", 10, SPECIAL_CHARACTERS);
        CoRunRow slower = new CoRunRow(SPECIAL_CHARACTERS, "train.py", "H100", 20, SPECIAL_CHARACTERS);
        store.append(coRuns(slow, fast));
        store.append(coRuns(slower));

        assertThat(store.reader().profiles(10)).containsExactly(second, newer);
        ProfileRow withSnapshot = new ProfileRow("train.py", "", "H100", 1, 25, 4, "{\"snapshot\":1}");
        store.saveSnapshot(0, "snapshot", List.of(withSnapshot));
        assertThatThrownBy(() -> store.saveSnapshot(1, "ahead", List.of(second)))
                .isInstanceOf(StoreException.class);

        RecoveredState unused = reopen();
        assertThat(store.reader().profiles(10)).containsExactly(withSnapshot, newer);
        assertThat(store.reader().profiles(1)).containsExactly(newer);
        assertThat(store.reader().coRuns(10)).containsExactly(fast, slower);
        assertThat(store.reader().coRuns(1)).containsExactly(slower);
        assertThat(store.reader().estimates(7)).containsExactly(start, half);
        assertThat(store.reader().settledEstimates(6, 10)).containsExactly(half);
        assertThat(store.reader().settledEstimates(0, 1)).containsExactly(half);
        assertThat(store.reader().attempts(7)).containsExactly(run);
    }

    @Test
    void largeScriptsAreKeptAndLeftOutOfPages() {
        lead();
        String script = "x".repeat(1 << 20) + SPECIAL_CHARACTERS;
        JobRow plain = job(1, "ada", JobState.RUNNING);
        JobRow job = withSpec(plain, script);
        store.append(new Batch(List.of(), List.of(job), List.of(), List.of(), List.of()));
        assertThat(store.reader().job(1)).contains(job);
        assertThat(store.reader().jobs(allJobs(10)).rows()).containsExactly(withSpec(plain, ""));
        store.append(new Batch(List.of(), List.of(withSpec(plain, "{}")), List.of(), List.of(), List.of()));
        assertThat(store.reader().job(1).orElseThrow().spec()).isEqualTo("{}");
    }

    @Test
    void nulCharacterIsReplaced() {
        lead();
        store.append(entries(new HistoryEntry(1, 2, -1, 0, "a\0b", "k", "\0")));
        assertThat(reopen().entries()).containsExactly(new HistoryEntry(1, 2, -1, 0, "a\uFFFDb", "k", "\uFFFD"));
    }

    @Test
    void rowsReplaceRowsOfTheSameKey() {
        lead();
        store.append(submissionBatch(1, 1, 1, "ada"));
        AttemptRow first = attempt(1, 1);
        AttemptRow later = StoreSamples.runningAttempt(1, "");
        store.append(new Batch(
                List.of(),
                List.of(job(1, "ada", JobState.STARTING), job(1, "ada", JobState.RUNNING)),
                List.of(first, later),
                List.of(new SubmissionRow("ada", "k", "d1", 1, 1, 1), new SubmissionRow("ada", "k", "d2", 2, 2, 2)),
                List.of()));
        assertThat(store.reader().job(1).orElseThrow().state()).isEqualTo(JobState.RUNNING);
        assertThat(store.reader().attempts(1)).containsExactly(later);
        assertThat(store.reader().submission("ada", "k")).contains(new SubmissionRow("ada", "k", "d2", 2, 2, 2));
        assertThat(store.reader().countsByState())
                .containsEntry(JobState.RUNNING, 1L)
                .containsEntry(JobState.PENDING, 0L);
    }

    @Test
    void failedBatchLeavesNothing() throws SQLException {
        lead();
        store.append(submissionBatch(1, 1, 2, "ada"));
        rejectAuditInserts();
        Batch batch = new Batch(
                List.of(entry(3, 3, "Submitted")),
                List.of(job(3, "ada", JobState.PENDING), job(1, "ada", JobState.RUNNING)),
                List.of(attempt(1, 1)),
                List.of(new SubmissionRow("ada", "k", "d", 3, 1, 1)),
                List.of(new AuditRow(0, 1, "ada", "USER", "", "submit", "3", "refused by the test")));
        assertThatThrownBy(() -> store.append(batch)).isInstanceOf(StoreException.class);
        assertThat(store.reader().job(3)).isEmpty();
        assertThat(store.reader().job(1).orElseThrow().state()).isEqualTo(JobState.PENDING);
        assertThat(store.reader().attempts(1)).isEmpty();
        assertThat(store.reader().submission("ada", "k")).isEmpty();
        assertThat(store.reader().history(allEntries(0, 10)).rows()).hasSize(2);
        allowAuditInserts();
        store.append(batch);
        assertThat(store.reader().history(allEntries(0, 10)).rows()).hasSize(3);
        assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).hasSize(1);
    }

    /** Makes the database reject rows of the audit log, the last of a batch. */
    abstract void rejectAuditInserts() throws SQLException;

    abstract void allowAuditInserts() throws SQLException;

    @Test
    void entriesWithAGapAreRejected() {
        lead();
        store.append(entries(entry(1, 1, "A"), entry(2, 1, "B")));
        for (Batch wrong : List.of(
                entries(entry(4, 1, "C")),
                entries(entry(2, 1, "B")),
                entries(entry(3, 1, "C"), entry(5, 1, "D")),
                entries(entry(3, 1, "C"), entry(3, 1, "C")))) {
            assertThatThrownBy(() -> store.append(wrong))
                    .isInstanceOfSatisfying(
                            StoreException.class,
                            e -> assertThat(e.isRetryable()).isFalse());
        }
        store.append(entries(entry(3, 1, "C")));
        assertThat(store.reader().history(allEntries(0, 10)).rows())
                .containsExactly(entry(1, 1, "A"), entry(2, 1, "B"), entry(3, 1, "C"));
    }

    @Test
    void onlyTheLeaderWrites() {
        assertThatThrownBy(() -> store.append(entries(entry(1, 1, "A"))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("only the leading daemon");
        assertThatThrownBy(() -> store.saveSnapshot(0, "{}")).isInstanceOf(StoreException.class);
        lead();
        store.append(Batch.EMPTY);
        store.append(entries(entry(1, 1, "A")));
    }

    @Test
    void recoveryContinuesFromTheLastSnapshot() {
        lead();
        store.append(submissionBatch(1, 1, 3, "ada"));
        store.saveSnapshot(3, "three");
        store.append(new Batch(
                List.of(entry(4, 2, "Started"), entry(5, 3, "JobEnded")),
                List.of(job(2, "ada", JobState.RUNNING), job(3, "ada", JobState.CANCELLED)),
                List.of(attempt(2, 1), attempt(2, 2), attempt(3, 1)),
                List.of(),
                List.of()));
        RecoveredState recovery = reopen();
        assertThat(recovery.snapshot()).contains("three");
        assertThat(recovery.snapshotSeq()).isEqualTo(3);
        assertThat(recovery.entries()).extracting(HistoryEntry::seq).containsExactly(4L, 5L);
        assertThat(recovery.liveJobs()).extracting(JobRow::id).containsExactly(1L, 2L);
        assertThat(recovery.liveAttempts()).containsExactly(attempt(2, 2));
        assertThat(recovery.nextSeq()).isEqualTo(6);
        assertThat(recovery.nextJobId()).isEqualTo(4);

        store.saveSnapshot(4, "four");
        store.saveSnapshot(5, SPECIAL_CHARACTERS);
        assertThat(reopen().snapshot()).contains(SPECIAL_CHARACTERS);
        assertThatThrownBy(() -> store.saveSnapshot(6, "ahead")).isInstanceOf(StoreException.class);
        assertThat(store.reader().history(allEntries(0, 10)).rows()).hasSize(5);
    }

    @Test
    void lastTwoSnapshotsAreKept() throws SQLException {
        lead();
        store.append(submissionBatch(1, 1, 4, "ada"));
        for (long seq = 1; seq <= 4; seq++) {
            store.saveSnapshot(seq, "snapshot " + seq);
        }
        try (Connection connection = directConnection();
                Statement statement = connection.createStatement();
                var result = statement.executeQuery("SELECT MIN(seq), COUNT(*) FROM snapshot")) {
            result.next();
            assertThat(List.of(result.getLong(1), result.getLong(2))).containsExactly(3L, 2L);
        }
    }

    @Test
    void latestEndedJobsComeFirst() {
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
        assertThat(store.reader().endedJobs(2))
                .containsExactly(job(4, "ada", JobState.OOM), job(3, "ada", JobState.FAILED));
        assertThat(store.reader().endedJobs(0)).isEmpty();
    }

    @Test
    void tokensAreFoundByHashUntilRevoked() {
        lead();
        TokenRow token = new TokenRow("t1", "hash", "ada", "ADMIN", SPECIAL_CHARACTERS, 5, -1, -1);
        TokenRow other = new TokenRow("t2", "other", "bob", "VIEWER", "", 4, 10, -1);
        store.tokens().add(token, StoreSamples.AUDIT);
        store.tokens().add(other, StoreSamples.AUDIT);
        assertThat(store.tokens().byHash("hash")).contains(token);
        assertThat(store.tokens().byHash("nothing")).isEmpty();
        assertThat(store.tokens().all()).containsExactly(other, token);
        assertThatThrownBy(() -> store.tokens().add(token, StoreSamples.AUDIT)).isInstanceOf(StoreException.class);
        assertThat(store.tokens().revoke("t1", 77, StoreSamples.AUDIT)).isTrue();
        assertThat(store.tokens().revoke("t1", 78, StoreSamples.AUDIT)).isFalse();
        assertThat(store.tokens().revoke("t3", 78, StoreSamples.AUDIT)).isFalse();
        assertThat(store.tokens().byHash("hash").orElseThrow().revokedMillis()).isEqualTo(77);
    }

    @Test
    void readersSeeCompleteBatchesDuringWrites() throws InterruptedException {
        lead();
        AtomicBoolean done = new AtomicBoolean();
        List<Throwable> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
        List<Thread> readers = java.util.stream.IntStream.range(0, 6)
                .mapToObj(i -> new Thread(
                        () -> {
                            try {
                                while (!done.get()) {
                                    long jobs = store.reader().countsByState().getOrDefault(JobState.PENDING, 0L);
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
                store.append(submissionBatch(1 + 7L * i, 1 + 7L * i, 7, "ada"));
            }
        } finally {
            done.set(true);
            for (Thread reader : readers) {
                reader.join();
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(store.reader().countsByState()).containsEntry(JobState.PENDING, 1050L);
    }

    @Test
    void tokensCanBeAddedDuringWrites() throws InterruptedException {
        lead();
        List<Throwable> wrong = new java.util.concurrent.CopyOnWriteArrayList<>();
        Thread maker = new Thread(() -> {
            try {
                for (int i = 0; i < 50; i++) {
                    store.tokens()
                            .add(new TokenRow("t" + i, "h" + i, "ada", "USER", "", i, -1, -1), StoreSamples.AUDIT);
                }
            } catch (RuntimeException e) {
                wrong.add(e);
            }
        });
        maker.start();
        for (int i = 0; i < 50; i++) {
            store.append(submissionBatch(1 + i, 1 + i, 1, "ada"));
        }
        maker.join();
        assertThat(wrong).isEmpty();
        assertThat(store.tokens().all()).hasSize(50);
        assertThat(reopen().nextSeq()).isEqualTo(51);
    }

    @Test
    void closedStoreReportsIt() {
        store.close();
        assertThatThrownBy(() -> store.append(entries(entry(1, 1, "A"))))
                .isInstanceOf(StoreException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> store.reader().job(1)).isInstanceOf(StoreException.class);
    }

    static JobRow withSpec(JobRow row, String spec) {
        return new JobRow(row.id(), row.request(), row.status(), row.times(), spec);
    }
}
