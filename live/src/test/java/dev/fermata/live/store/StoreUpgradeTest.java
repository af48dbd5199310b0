package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.estimate.HistoryEstimator;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.HistoryCodec;
import dev.fermata.history.HistoryEntry;
import dev.fermata.live.spec.SpecJson;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store that Fermata 0.1.0 left behind when it was killed in the middle of its work. */
class StoreUpgradeTest {
    private static final Topology CLUSTER =
            Topology.builder().node(new GpuType("GPU", 32_768, 1.0), 4).build();

    @TempDir
    private Path folder;

    @Test
    void theStoreOf010GoesOnWithThisVersion() throws IOException, SQLException {
        load("fermata-0.1.0.sql");
        try (Store store = StoreFactory.open("sqlite", folder)) {
            RecoveredState state = store.recover(() -> true).orElseThrow();
            HistoryCodec codec = new HistoryCodec(CLUSTER);
            Scheduler scheduler = new Scheduler(
                    CLUSTER, PolicySpec.parse("fermata").create(), new HistoryEstimator(), GuardMode.FULL, true);
            Map<String, Integer> records = new TreeMap<>();
            for (HistoryEntry entry : state.entries()) {
                assertThat(entry.body()).doesNotContain("paceMicro", "stretchBeside", "pauseMillis", "PAUS");
                Optional<HistoryRecord> found = codec.decode(entry);
                found.ifPresent(value -> scheduler.replay(entry.atMillis(), value));
                records.merge(entry.type(), 1, Integer::sum);
            }
            assertThat(records)
                    .containsKeys(
                            "Submitted",
                            "Reserved",
                            "Preempting",
                            "AttemptEnded",
                            "JobUpdated",
                            "QueuesSet",
                            "DrainChanged")
                    .doesNotContainKeys("Promised", "Pausing", "Left", "Changed", "Drained", "Capacity");
            assertThat(scheduler.snapshot().drainedNodes()).containsExactly(0);
            assertThat(scheduler.snapshot().nodesDown()).isEmpty();
            Map<Long, JobState> rebuilt =
                    scheduler.jobs().stream().collect(Collectors.toMap(JobView::id, JobView::state));
            Map<Long, JobState> rows = state.liveJobs().stream().collect(Collectors.toMap(JobRow::id, JobRow::state));
            assertThat(rebuilt).isEqualTo(rows).isNotEmpty();
            for (JobRow row : state.liveJobs()) {
                assertThat(SpecJson.read(store.reader()
                                        .job(row.id())
                                        .orElseThrow()
                                        .spec())
                                .run())
                        .isNotEmpty();
            }
        }
    }

    private void load(String name) throws IOException, SQLException {
        try (InputStream in = Objects.requireNonNull(StoreUpgradeTest.class.getResourceAsStream(name));
                Connection connection = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("fermata.db"));
                Statement statement = connection.createStatement()) {
            for (String sql : new String(in.readAllBytes(), UTF_8).split(";\n")) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
        }
    }
}
