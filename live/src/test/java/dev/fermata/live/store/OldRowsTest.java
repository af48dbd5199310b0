package dev.fermata.live.store;

import static dev.fermata.live.store.StoreSamples.allEntries;
import static dev.fermata.live.store.StoreSamples.attempt;
import static dev.fermata.live.store.StoreSamples.entry;
import static dev.fermata.live.store.StoreSamples.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Old jobs leave the store with all that is about them; what a recovery needs stays. */
class OldRowsTest {
    @TempDir
    Path folder;

    private static Batch batch(List<HistoryEntry> entries, List<JobRow> jobs) {
        AuditRow audit = new AuditRow(0, 5, "ann", "USER", "here", "submit", "job", "granted");
        return new Batch(
                entries,
                jobs,
                jobs.stream().map(job -> attempt(job.id(), 1)).toList(),
                List.of(new SubmissionRow("ann", "k", "d", 1, 2, 5)),
                List.of(audit));
    }

    /** Jobs 1 to 6, ended at 9001 to 9006, but for 3, which is live. */
    private static Batch sixJobs() {
        List<HistoryEntry> entries = new ArrayList<>();
        List<JobRow> jobs = new ArrayList<>();
        for (int id = 1; id <= 6; id++) {
            entries.add(entry(id, id, "Submitted"));
            jobs.add(job(id, "ann", id == 3 ? JobState.PENDING : JobState.COMPLETED));
        }
        return batch(entries, jobs);
    }

    private static List<Long> jobIds(Store store) {
        return store.reader().jobs(StoreSamples.allJobs(100)).rows().stream()
                .map(JobRow::id)
                .sorted()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oldEndedJobsAreRemovedWithAllAboutThem(boolean postgres) {
        String address = postgres ? PostgresServer.newDatabase() : "sqlite";
        try (Store store = StoreFactory.open(address, folder)) {
            assertThat(store.recover(() -> false)).isPresent();
            store.append(sixJobs());
            assertThat(store.removeOld(9005, 0))
                    .as("without a snapshot all is replayed")
                    .isEqualTo(1);
            assertThat(jobIds(store)).hasSize(6);
            store.saveSnapshot(6, "{}");

            assertThat(store.removeOld(9005, 6)).isEqualTo(4);

            assertThat(jobIds(store)).containsExactly(3L, 5L, 6L);
            assertThat(store.reader().history(allEntries(0, 100)).rows())
                    .extracting(HistoryEntry::jobId)
                    .containsExactly(3L, 5L, 6L);
            assertThat(store.reader().attempts(1)).isEmpty();
            assertThat(store.reader().attempts(5)).hasSize(1);
            assertThat(store.reader().audit(Long.MAX_VALUE, 10).rows()).isEmpty();
            assertThat(store.reader().submission("ann", "k")).isEmpty();
            assertThat(store.removeOld(Long.MAX_VALUE, 0))
                    .as("all but the last job and the live one")
                    .isEqualTo(1);
            assertThat(jobIds(store)).containsExactly(3L, 6L);
        }
        try (Store again = StoreFactory.open(address, folder)) {
            RecoveredState recovered = again.recover(() -> false).orElseThrow();
            assertThat(recovered.nextJobId()).isEqualTo(7);
            assertThat(recovered.nextSeq()).isEqualTo(7);
            assertThat(recovered.liveJobs()).extracting(JobRow::id).containsExactly(3L);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void onlyTheLeaderRemoves(boolean postgres) {
        String address = postgres ? PostgresServer.newDatabase() : "sqlite";
        try (Store store = StoreFactory.open(address, folder)) {
            assertThatThrownBy(() -> store.removeOld(1, 1)).hasMessageContaining("only the leading daemon");
        }
    }
}
