package dev.fermata.history;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.SuspendTries;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Locality;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Tier;
import dev.fermata.core.model.Topology;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every constant and every optional field as it is written, against golden files. Unlike those of {@link HistoryFormatTest} they have
 * no counterpart of 0.1.0.
 */
class GoldenCoverageTest {
    private static final Topology CLUSTER =
            Topology.builder().node(new GpuType("T", 1000, 1.0), 4).build();

    private static final QueueTerms TERMS = new QueueTerms(
            new QueueTerms.Submitters(List.of("ann"), List.of("nlp")),
            new QueueTerms.PerUser(4, 100, true),
            new QueueTerms.Ceilings(60_000, 0),
            new QueueTerms.Trials(new QueueTerms.Submitters(List.of(), List.of("nlp")), 2, 600_000, 3));

    private final HistoryCodec codec = new HistoryCodec(CLUSTER);

    @Test
    void everyConstantIsWrittenAsInTheGoldenFile() throws IOException {
        List<String> written = new ArrayList<>();
        for (HistoryRecord entry : records()) {
            String body = codec.encode(entry, Map.of());
            written.add(HistoryCodec.typeOf(entry) + " " + body);
            assertThat(codec.decode(new HistoryEntry(1, 0, 1, 1, "policy", HistoryCodec.typeOf(entry), body)))
                    .contains(entry);
        }
        assertThat(String.join("\n", written)).isEqualTo(text("v3/constants.txt"));
    }

    @Test
    void everyFieldOfASnapshotIsWrittenAsInTheGoldenFile() throws IOException {
        SchedulerSnapshot snapshot = new SchedulerSnapshot(
                900,
                Stream.of(JobState.values()).map(GoldenCoverageTest::snapshot).toList(),
                List.of(1),
                List.of(2),
                List.of(3),
                List.of(new QueueRule("a/b", 1, 4, 0.5, TERMS)),
                cluster());
        assertThat(SnapshotCodec.encode(snapshot)).isEqualTo(text("v3/snapshot-full.json"));
        assertThat(SnapshotCodec.decode(text("v3/snapshot-full.json"))).isEqualTo(snapshot);
    }

    private static Topology cluster() {
        return Topology.builder()
                .rack("local")
                .node(
                        "näme",
                        new GpuType("H100", 81_000, 4.0),
                        3,
                        64_000,
                        515_000,
                        new NodeInventory("4c4c4544", List.of("GPU-1a", "GPU-2b", "GPU-3c"), List.of(1)))
                .rack("r2")
                .node("n1", new GpuType("A100", 80_000, 2.2), 8, Node.UNLIMITED, Node.UNLIMITED)
                .build();
    }

    private static SchedulerSnapshot.JobSnapshot snapshot(JobState state) {
        return new SchedulerSnapshot.JobSnapshot(
                job(List.of(JobState.values()).indexOf(state) + 1L, Tier.NETWORK, Dependency.Condition.ANY),
                new SchedulerSnapshot.Status(state, 2, 12, 13, true, true),
                new SchedulerSnapshot.Times(1, 2, 3, 4, 5),
                new SchedulerSnapshot.Progress(6, 7, 8, 18, 9, 10, 11),
                new SchedulerSnapshot.Gpus(List.of(0, 1), true),
                new SchedulerSnapshot.Gpus(List.of(2, 3), false),
                new SchedulerSnapshot.LastDeclined(14, 15, 16, 17),
                state == JobState.PREEMPTING
                        ? new SchedulerSnapshot.SuspendState(
                                true,
                                new SuspendTries(3, 5_000, true),
                                1,
                                19,
                                new SchedulerSnapshot.Gpus(List.of(4), false),
                                2048)
                        : SchedulerSnapshot.SuspendState.NONE);
    }

    private static List<HistoryRecord> records() {
        List<HistoryRecord> records = new ArrayList<>();
        for (Tier tier : Tier.values()) {
            records.add(new HistoryRecord.Submitted(job(records.size() + 1L, tier, Dependency.Condition.SUCCESS)));
        }
        for (Dependency.Condition condition : Dependency.Condition.values()) {
            records.add(new HistoryRecord.JobUpdated(job(7, Tier.RACK, condition)));
        }
        for (Outcome outcome : Outcome.values()) {
            records.add(new HistoryRecord.AttemptEnded(7, 2, outcome, new Usage(1, 2, 3, 4, 5, 6), JobState.PENDING));
        }
        for (JobState state : JobState.values()) {
            records.add(new HistoryRecord.JobEnded(7, state));
        }
        for (SuspendCosts.Reach reach : SuspendCosts.Reach.values()) {
            Job suspendable = job(8, Tier.NODE, Dependency.Condition.ANY);
            SuspendCosts costs =
                    reach == SuspendCosts.Reach.NOWHERE ? SuspendCosts.CANNOT : new SuspendCosts(400, 250, 1024, reach);
            records.add(new HistoryRecord.JobUpdated(
                    suspendable.withCosts(suspendable.costs().withSuspend(costs))));
        }
        for (PreemptWay way : PreemptWay.values()) {
            records.add(new HistoryRecord.Preempting(7, 2, 8, 100, 50, way));
        }
        records.add(new HistoryRecord.SuspendFailed(7, 2, 1_000_000, "not supported", false));
        records.add(new HistoryRecord.SuspensionEnded(7, 1, 5_000, "killed"));
        records.add(new HistoryRecord.ClusterChanged(cluster().withSuspendMemoryMib(4096), 10));
        records.add(new HistoryRecord.SuspendFailed(7, 2, 1_000_000, "not supported", true));
        Job assumed = job(8, Tier.NODE, Dependency.Condition.ANY);
        records.add(new HistoryRecord.JobUpdated(
                assumed.withCosts(assumed.costs().withCheckpointing(Checkpointing.ASSUMED))));
        return records;
    }

    private static Job job(long id, Tier tier, Dependency.Condition condition) {
        return Job.builder(id, 1)
                .demand(new Demand(1, 2, 3, 400, List.of("H100"), 5, 6, true))
                .name("bert")
                .user("ann")
                .queue("a/b")
                .jobClass(id % 2 == 0 ? JobClass.BATCH : JobClass.TRIAL)
                .profile(new Profile("m", 1.5, 0.5, 3.25, 2, 7, Map.of("H100", 1.5), Map.of("gpt", 1.25)))
                .costs(new Costs(1, 2, 3, 4, Checkpointing.NONE))
                .declaredMillis(8)
                .iterations(9)
                .graceMillis(10)
                .checkpointMillis(11)
                .priority(-12)
                .maxPreemptions(13)
                .maxOutOfMemory(14)
                .limitMillis(15)
                .minRuntimeMillis(16)
                .dependencies(List.of(new Dependency(3, condition)))
                .array(new JobArray(4, 2, 1))
                .locality(new Locality(tier, 600_000))
                .profileFirst(new ProfileFirst(17, 18))
                .build();
    }

    private static String text(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(GoldenCoverageTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), UTF_8).strip();
        }
    }
}
