package dev.fermata.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Link;
import dev.fermata.core.model.Network;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.NodeSpec;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A record that is written and read is the same record, in this version and the next. */
class HistoryCodecTest {
    private static final GpuType GPU_TYPE = new GpuType("H100", 81_920, 1.0);
    private static final Topology CLUSTER =
            Topology.builder().node(GPU_TYPE, 4).node(GPU_TYPE, 8).build();

    private final HistoryCodec codec = new HistoryCodec(CLUSTER);
    private final SplittableRandom random = new SplittableRandom(1);

    private HistoryEntry entry(String key, String body) {
        return new HistoryEntry(1, 0, 1, 1, "policy", key, body);
    }

    @Test
    void everyRecordRoundTrips() {
        Set<Class<?>> seen = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            HistoryRecord record = randomRecord(i);
            seen.add(record.getClass());
            String body = codec.encode(record, Map.of());
            assertThat(codec.decode(entry(HistoryCodec.typeOf(record), body)))
                    .as(body)
                    .contains(record);
        }
        assertThat(seen).containsExactlyInAnyOrder(HistoryRecord.class.getPermittedSubclasses());
    }

    @Test
    void annotationsAndUnknownFieldsAreSkipped() {
        HistoryRecord record = new HistoryRecord.Running(7, 2, 1_000_000);
        assertThat(codec.encode(record, Map.of("exit", 3)))
                .contains("\"exit\":3")
                .contains("\"v\":3");
        assertThat(codec.decode(
                        entry("Running", "{\"v\":3,\"jobId\":7,\"attempt\":2,\"speedMicro\":1000000,\"mood\":[1]}")))
                .contains(record);
        assertThat(codec.decode(entry("Sung", "{}"))).isEmpty();
    }

    @Test
    void missingFieldsAreReadAsEmpty() {
        Job job = Job.builder(3, 1).build();
        String body = codec.encode(new HistoryRecord.Submitted(job), Map.of());
        String older = body.replace(",\"dependencies\":[]", "").replace(",\"limitMillis\":0", "");
        assertThat(older).isNotEqualTo(body);
        assertThat(codec.decode(entry("Submitted", older))).contains(new HistoryRecord.Submitted(job));
    }

    /** Jobs require these parts; entries of before they existed get the defaults here. */
    @Test
    void partsThatOlderJobsLackAreReadAsTheirDefaults() {
        Job job = Job.builder(3, 1).build();
        ObjectNode body = HistoryCodec.parse(codec.encode(new HistoryRecord.Submitted(job), Map.of()));
        ObjectNode parts = (ObjectNode) body.path("job");
        assertThat(parts.remove(List.of("locality", "profileFirst", "array"))).isSameAs(parts);
        assertThat(parts.path("costs").has("checkpointing")).isFalse();
        assertThat(codec.decode(entry("Submitted", body.toString()))).contains(new HistoryRecord.Submitted(job));
    }

    @Test
    void gpusOutsideTheClusterAreReported() {
        assertThatThrownBy(() -> codec.decode(entry("Reserved", "{\"jobId\":1,\"allocation\":{\"gpus\":[99]}}")))
                .hasMessageContaining("99")
                .hasMessageContaining("12");
    }

    @Test
    void snapshotsRoundTrip() {
        SchedulerSnapshot snapshot = new SchedulerSnapshot(
                5,
                List.of(new SchedulerSnapshot.JobSnapshot(
                        job(),
                        new SchedulerSnapshot.Status(JobState.PREEMPTING, 2, 12, 13, true, false),
                        new SchedulerSnapshot.Times(1, 2, 3, 4, 5),
                        new SchedulerSnapshot.Progress(6, 7, 8, 18, 9, 10, 11),
                        SchedulerSnapshot.Gpus.of(allocation()),
                        null,
                        new SchedulerSnapshot.LastDeclined(14, 15, 16, 17))),
                new SchedulerSnapshot.NodeStates(
                        List.of(1),
                        List.of(3),
                        List.of(
                                new SchedulerSnapshot.DrainedNode(0, DrainNote.NONE),
                                new SchedulerSnapshot.DrainedNode(1, new DrainNote("fan", "ann"))),
                        List.of(0, 2),
                        List.of(new SchedulerSnapshot.ForeignNode(1, new ForeignLoad(List.of(4, 6), 1000, 2)))),
                List.of(new QueueRule("a/b", 1, QueueRule.NO_LIMIT, 0.5)),
                CLUSTER,
                new SchedulerSnapshot.StartFailureState(
                        List.of(new SchedulerSnapshot.JobStartFailures(7, 2, 9_000)),
                        List.of(new SchedulerSnapshot.NodeStartFailures(1, 3, 300_000))));
        assertThat(SnapshotCodec.decode(SnapshotCodec.encode(snapshot))).isEqualTo(snapshot);
    }

    private HistoryRecord randomRecord(int i) {
        long id = random.nextLong(1L << 40);
        int attempt = 1 + random.nextInt(9);
        return switch (i % 21) {
            case 0 -> new HistoryRecord.Submitted(job());
            case 1 -> new HistoryRecord.JobRejected(job(), new PendingReason.Unsatisfiable(id, 1, 2));
            case 2 -> new HistoryRecord.Started(id, attempt, allocation(), random.nextBoolean());
            case 3 -> new HistoryRecord.Running(id, attempt, random.nextLong(1L << 40));
            case 4 -> new HistoryRecord.SpeedChanged(id, attempt, random.nextLong(1L << 40));
            case 5 -> new HistoryRecord.Held(id);
            case 6 -> random.nextBoolean() ? new HistoryRecord.Released(id) : new HistoryRecord.Profiled(id, attempt);
            case 7 -> new HistoryRecord.JobUpdated(job());
            case 8 ->
                new HistoryRecord.QueuesSet(
                        List.of(new QueueRule("r/" + i, 0, 1 + random.nextInt(9), random.nextDouble(9) + 0.1)));
            case 9 -> new HistoryRecord.Reserved(id, allocation());
            case 10 ->
                random.nextBoolean()
                        ? new HistoryRecord.ReservationReleased(id)
                        : new HistoryRecord.StartFailed(
                                id,
                                attempt,
                                "no \"disk\"",
                                3,
                                random.nextLong(1L << 40),
                                -1,
                                random.nextLong(1L << 40));
            case 11 ->
                new HistoryRecord.Preempting(
                        id,
                        attempt,
                        random.nextLong(99),
                        random.nextLong(),
                        random.nextLong(),
                        any(PreemptWay.values()));
            case 12 ->
                random.nextBoolean()
                        ? new HistoryRecord.Cancelling(id, attempt)
                        : new HistoryRecord.JobEnded(id, any(JobState.values()));
            case 13 ->
                new HistoryRecord.AttemptEnded(
                        id,
                        attempt,
                        any(Outcome.values()),
                        new Usage(1, 2, 3, 4, 5, random.nextLong()),
                        any(JobState.values()));
            case 14 ->
                switch (random.nextInt(3)) {
                    case 0 ->
                        new HistoryRecord.SuspendFailed(
                                id, attempt, random.nextLong(), "refused", random.nextBoolean());
                    case 1 -> new HistoryRecord.SuspensionEnded(id, attempt, random.nextLong(), "killed");
                    default ->
                        new HistoryRecord.PreemptionDeclined(
                                id, attempt, random.nextLong(1L << 40), random.nextLong(1L << 40));
                };
            case 15 ->
                random.nextBoolean()
                        ? new HistoryRecord.DrainChanged(random.nextInt(9), random.nextBoolean())
                        : new HistoryRecord.ClusterChanged(cluster(), random.nextInt(9));
            case 16 -> new HistoryRecord.NodeAdded(2, NodeSpec.of(cluster(), 0), random.nextInt(9));
            case 17 -> new HistoryRecord.NodeChanged(1, NodeSpec.of(cluster(), 0), random.nextInt(9));
            case 18 ->
                random.nextBoolean()
                        ? new HistoryRecord.NodeRemoved(random.nextInt(9), random.nextInt(9))
                        : new HistoryRecord.ReachabilityChanged(random.nextInt(9), random.nextBoolean());
            case 19 ->
                new HistoryRecord.ForeignLoadChanged(
                        1, new ForeignLoad(List.of(3, 7), random.nextInt(9), random.nextInt(9)), 3);
            default ->
                random.nextBoolean()
                        ? new HistoryRecord.CapacityChanged(
                                random.nextBoolean(), random.nextInt(9), random.nextBoolean(), 3)
                        : new HistoryRecord.ActionRejected(id, "Start \"x\"\n", "rule é");
        };
    }

    private Job job() {
        return Job.builder(random.nextLong(1L << 40), 1)
                .demand(new Demand(
                        1, 1 + random.nextInt(8), random.nextInt(9), 1 + random.nextInt(1000), List.of("A", "b"), 5, 6))
                .name("näme \"" + random.nextInt() + "\"")
                .user("u")
                .queue("q/r")
                .jobClass(any(JobClass.values()))
                .profile(new Profile(
                        "m",
                        random.nextDouble(100) + 1,
                        0.5,
                        3.25,
                        2,
                        7,
                        Map.of("A", 1.5, "B", random.nextDouble(3) + 0.1)))
                .costs(new Costs(1, 2, 3, 4, any(Checkpointing.values())))
                .declaredMillis(random.nextLong(1L << 40))
                .iterations(3)
                .graceMillis(4)
                .checkpointMillis(5)
                .priority(random.nextInt(100) - 50)
                .maxPreemptions(random.nextInt(5))
                .limitMillis(6)
                .minRuntimeMillis(7)
                .dependencies(List.of(new Dependency(3, any(Dependency.Condition.values()))))
                .array(random.nextBoolean() ? JobArray.NONE : new JobArray(4, 2, 1))
                .build();
    }

    private Topology cluster() {
        Topology.Builder builder = Topology.builder();
        int nodes = 1 + random.nextInt(4);
        for (int i = 0; i < nodes; i++) {
            if (random.nextBoolean()) {
                builder.rack("r\"" + i);
            }
            int gpus = 1 + random.nextInt(4);
            int node = i;
            builder.node(
                    "n" + i,
                    random.nextBoolean() ? GPU_TYPE : new GpuType("K80", 12_000, 0.2),
                    gpus,
                    random.nextBoolean() ? Node.UNLIMITED : random.nextLong(1L << 40),
                    random.nextBoolean() ? Node.UNLIMITED : random.nextLong(1L << 40),
                    new NodeInventory(
                            "id é" + i,
                            random.nextBoolean()
                                    ? List.of()
                                    : IntStream.range(0, gpus)
                                            .mapToObj(g -> "GPU-" + node + "-" + g)
                                            .toList(),
                            random.nextBoolean() ? List.of() : List.of(gpus - 1)));
        }
        return builder.network(new Network(new Link(1.5, 0), new Link(2, 3), new Link(random.nextDouble(9) + 1, 4)))
                .build();
    }

    private Allocation allocation() {
        int[] gpus = random.ints(0, 12).distinct().limit(1 + random.nextInt(12)).toArray();
        Arrays.sort(gpus);
        return Allocation.of(CLUSTER, gpus, random.nextBoolean());
    }

    private <E> E any(E[] values) {
        return values[random.nextInt(values.length)];
    }
}
