package dev.fermata.live.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.live.retention.HistoryRetention.RetentionSettings;
import dev.fermata.live.store.AuditRow;
import dev.fermata.live.store.Batch;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import dev.fermata.live.store.StoreSamples;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryRetentionTest {
    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    @TempDir
    private Path folder;

    private static List<Long> jobIds(Store store) {
        return store.reader().jobs(StoreSamples.allJobs(10)).rows().stream()
                .map(JobRow::id)
                .toList();
    }

    @Test
    void jobsAndAuditRowsAreKeptAsLongAsTheSettingsSay() throws Exception {
        AtomicLong wall = new AtomicLong(10_000);
        AtomicBoolean leads = new AtomicBoolean(true);
        RetentionSettings settings = new RetentionSettings(3 * DAY, 5 * DAY);
        try (Store store = StoreFactory.open("sqlite", folder);
                HistoryRetention retention = new HistoryRetention(
                        store, AgeClock.in(folder.resolve("clock")), settings, leads::get, wall::get)) {
            store.recover(() -> true);
            List<JobRow> jobs = List.of(
                    StoreSamples.job(1, "ann", JobState.COMPLETED), StoreSamples.job(2, "ann", JobState.PENDING));
            AuditRow audit = new AuditRow(0, 1, "ann", "USER", "here", "submit", "job 1", "granted");
            store.append(new Batch(List.of(), jobs, List.of(), List.of(), List.of(audit)));
            int[] day = new int[2];
            for (int i = 1; i <= 7; i++) {
                retention.clean();
                day[0] = day[0] == 0 && jobIds(store).size() == 1 ? i : day[0];
                day[1] = day[1] == 0
                                && store.reader()
                                        .audit(Long.MAX_VALUE, 10)
                                        .rows()
                                        .isEmpty()
                        ? i
                        : day[1];
                wall.addAndGet(DAY);
            }
            assertThat(day)
                    .as("days at which the job and the audit row were gone")
                    .containsExactly(4, 6);
            assertThat(jobIds(store)).containsExactly(2L);

            leads.set(false);
            assertThat(retention.clean()).isZero();
        }
    }

    @Test
    void lessThanADayIsRefused() {
        assertThatThrownBy(() -> new RetentionSettings(DAY - 1, DAY)).hasMessageContaining("a day or longer");
        assertThatThrownBy(() -> new RetentionSettings(DAY, 0)).hasMessageContaining("a day or longer");
    }
}
