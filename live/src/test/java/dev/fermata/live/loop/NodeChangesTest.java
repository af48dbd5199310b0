package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.Condition;
import dev.fermata.live.engine.EngineNode;
import dev.fermata.live.state.GpuState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A cluster that changes while the daemon leads: what the engine reports of its machines becomes state and history. */
class NodeChangesTest {
    private static final GpuType OTHER = new GpuType("L4", 24_000, 0.7);

    /** One machine, node0, with two GPUs. */
    private final LoopFixture fixture = new LoopFixture("fifo", 2);

    private static EngineNode machine(String id, GpuType type, String... gpus) {
        return machine(
                id,
                Arrays.stream(gpus).map(gpu -> new EngineNode.Gpu(gpu, type)).toList());
    }

    private static EngineNode machine(String id, List<EngineNode.Gpu> gpus) {
        return new EngineNode(
                id, "host-" + id, "r1", gpus, new Node.Host(64_000, 128_000), new TreeMap<>(Map.of("pool", "spot")));
    }

    private void report(EngineEvent... events) {
        Arrays.stream(events).forEach(fixture.engine::send);
        fixture.advance(1_000);
    }

    private void condition(String id, Condition condition, boolean drained, String cause) {
        report(new EngineEvent.NodeConditionReported(id, condition, drained, cause));
    }

    private PendingReason reason(long job) {
        return Objects.requireNonNull(fixture.loop().cycle().scheduler.explain(job));
    }

    private List<Boolean> up() {
        return fixture.service().gpus().stream().map(GpuState::up).toList();
    }

    @Test
    void aNewNodeTakesJobsAtOnce() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        assertThat(fixture.engine.orders).last().isEqualTo("start 2.1 on [2, 3]");
        assertThat(fixture.loop().status().topology().node(1).name()).isEqualTo("host-n1");
        assertThat(Objects.requireNonNull(fixture.engine.cluster).gpuId(3)).isEqualTo("b");
        assertThat(fixture.history()).contains("NodeAdded by engine");
    }

    @Test
    void theSameReportAgainChangesNothing() {
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        int entries = fixture.history().size();
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        assertThat(fixture.history()).hasSize(entries);
    }

    @Test
    void aMachineOfSeveralTypesIsSeveralNodesAndOneWithoutGpusIsNone() {
        List<EngineNode.Gpu> mixed =
                new ArrayList<>(machine("n1", LoopFixture.GPU_TYPE, "a").gpus());
        mixed.add(new EngineNode.Gpu("x", OTHER));
        report(new EngineEvent.NodeReported(machine("cpu-only", List.of())));
        report(new EngineEvent.NodeReported(machine("n1", mixed)));
        Topology cluster = fixture.loop().status().topology();
        assertThat(cluster.nodes()).extracting(Node::id).containsExactly("node0", "n1", "n1~2");
        assertThat(cluster.node(1).cpuMilli()).isEqualTo(32_000);
        assertThat(cluster.types()).contains(OTHER);
        fixture.submit(TestSpec.gpus(1).gpuType("L4"));
        assertThat(fixture.engine.orders).last().isEqualTo("start 1.1 on [3]");
    }

    @Test
    void aRemovedNodeIsRestoredAcrossARestartAndItsSlotServesTheNext() {
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        report(new EngineEvent.NodeGone("n1"));
        assertThat(up()).containsExactly(true, true, false, false);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING); // until the engine says that it has ended
        report(new EngineEvent.NodeReported(machine("n2", LoopFixture.GPU_TYPE, "c", "d")));
        assertThat(fixture.loop().status().topology().gpuCount()).isEqualTo(6); // something refers to the slot of n1
        fixture.engine.end(2, Outcome.LOST, null, "its node is gone");
        fixture.advance(10);
        assertThat(fixture.engine.orders).last().isEqualTo("start 2.2 on [4, 5]");
        report(new EngineEvent.NodeReported(machine("n3", LoopFixture.GPU_TYPE, "e", "f")));
        assertThat(fixture.loop().status().topology().gpuId(2)).isEqualTo("e");
        Topology before = fixture.loop().status().topology();
        fixture.engine.topology = before;
        fixture.restart();
        assertThat(fixture.loop().status().topology()).isEqualTo(before);
        assertThat(fixture.row(2).heldGpus()).isEqualTo("4,5");
    }

    @Test
    void theLastMachineGetsMoreGpus() {
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2), TestSpec.gpus(2));
        report(
                new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b", "c", "d")),
                new EngineEvent.NodeReported(machine("n2", LoopFixture.GPU_TYPE, "e")));
        Topology cluster = fixture.loop().status().topology();
        assertThat(cluster.nodes()).extracting(Node::id).containsExactly("node0", "n1", "n2");
        assertThat(cluster.nodes()).extracting(Node::gpus).containsExactly(2, 4, 1);
        assertThat(fixture.engine.orders).last().isEqualTo("start 3.1 on [4, 5]");
        fixture.engine.topology = cluster;
        fixture.restart();
        assertThat(fixture.loop().status().topology()).isEqualTo(cluster);
        assertThat(fixture.row(3).heldGpus()).isEqualTo("4,5");
    }

    @Test
    void aMachineInTheMiddleGetsMoreGpusAsANodeOfItsOwn() {
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")));
        report(new EngineEvent.NodeReported(machine("node0", LoopFixture.GPU_TYPE, "node0/0", "node0/1", "x")));
        assertThat(fixture.loop().status().topology().nodes())
                .extracting(Node::id)
                .containsExactly("node0", "n1", "node0~2");
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2), TestSpec.gpus(1));
        assertThat(fixture.engine.orders).last().isEqualTo("start 3.1 on [4]");
    }

    @Test
    void aGpuThatVanishesUnderAJobIsGivenToNoOther() {
        fixture.submit(TestSpec.gpus(2));
        fixture.engine.running(1);
        report(new EngineEvent.NodeReported(machine("node0", LoopFixture.GPU_TYPE, "node0/0")));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        fixture.engine.end(1, Outcome.LOST, null, "its GPU is gone");
        fixture.submit(TestSpec.gpus(1));
        assertThat(reason(1)).isInstanceOf(PendingReason.NoNodes.class);
        assertThat(fixture.engine.orders).last().isEqualTo("start 2.1 on [0]");
        assertThat(up()).containsExactly(true, false);
        report(new EngineEvent.NodeReported(machine("node0", LoopFixture.GPU_TYPE, "node0/1", "node0/0")));
        fixture.engine.end(2, Outcome.COMPLETED, 0, "");
        fixture.advance(10);
        assertThat(fixture.engine.orders).last().isEqualTo("start 1.2 on [0, 1]");
    }

    @Test
    void theGpusOfARunningJobGetAnotherTypeName() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        report(new EngineEvent.NodeReported(machine("node0", OTHER, "node0/0", "node0/1")));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        fixture.submit(TestSpec.gpus(1).gpuType("L4"));
        assertThat(fixture.engine.orders).last().isEqualTo("start 2.1 on [1]");
        assertThat(fixture.rejection(fixture.service()
                        .submit(
                                LoopFixture.ANN,
                                LoopFixture.specs(TestSpec.gpus(1).gpuType("H100")),
                                null)))
                .hasMessageContaining("H100");
    }

    @Test
    void withoutAnyMachineEverythingWaits() {
        fixture.submit(TestSpec.gpus(2));
        fixture.engine.running(1);
        report(new EngineEvent.NodeGone("node0"));
        fixture.engine.end(1, Outcome.LOST, null, "its node is gone");
        fixture.advance(10);
        assertThat(reason(1)).isInstanceOf(PendingReason.NoNodes.class);
        fixture.engine.topology = fixture.loop().status().topology();
        fixture.restart();
        assertThat(up()).containsExactly(false, false);
        report(new EngineEvent.NodeReported(machine("n7", LoopFixture.GPU_TYPE, "p", "q")));
        assertThat(fixture.engine.orders).last().isEqualTo("start 1.2 on [2, 3]");
    }

    /** As a virtual machine of a cloud: its name returns with other GPUs, again and again. */
    @Test
    void aNameThatReturnsWithOtherGpusIsAnotherNodeAndTheClusterDoesNotGrow() {
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a0", "b0")));
        for (int life = 1; life < 6; life++) {
            report(new EngineEvent.NodeGone("n1"));
            report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a" + life, "b" + life)));
            Topology cluster = fixture.loop().status().topology();
            assertThat(cluster.gpuCount()).isEqualTo(4);
            assertThat(cluster.gpuId(3)).isEqualTo("b" + life);
            assertThat(up()).containsExactly(true, true, true, true);
        }
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        report(new EngineEvent.NodeGone("n1"));
        report(new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "x", "y")));
        assertThat(fixture.loop().status().topology().gpuCount())
                .isEqualTo(6); // its attempt is not known to have ended
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void aJobWaitsForNodesOfItsTypeAndSaysSo() {
        report(new EngineEvent.NodeReported(machine("n1", OTHER, "x")));
        fixture.submit(TestSpec.gpus(1).gpuType("L4").held(), TestSpec.gpus(2));
        report(new EngineEvent.NodeGone("n1"));
        fixture.runAndGet(fixture.service().release(LoopFixture.ANN, 1));
        assertThat(reason(1).message()).isEqualTo("no node with L4 GPUs for it at present");
        report(new EngineEvent.NodeReported(machine("n9", OTHER, "y")));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void anUnreachableNodeIsNotDownUntilTheOperatorsTimeIsOver() {
        fixture.settings = fixture.settings.withNodeLoss(60_000);
        fixture.restart();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(2));
        fixture.engine.running(1);
        condition("node0", Condition.UNREACHABLE, false, "no route");
        fixture.advance(58_000);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        fixture.advance(2_000);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.store.attempts(1).get(0).outcome()).isEqualTo("LOST");
        assertThat(fixture.engine.orders).last().isEqualTo("kill 1.1"); // should it run after all
        assertThat(up()).containsExactly(false, false);
        condition("node0", Condition.UP, false, "");
        assertThat(fixture.engine.orders).last().isEqualTo("start 1.2 on [0]");
    }

    @Test
    void withoutASettingNothingIsGivenUp() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        condition("node0", Condition.UNREACHABLE, false, "no route");
        fixture.submit(TestSpec.gpus(1));
        fixture.advance(1_000_000_000);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
        condition("node0", Condition.UP, false, "");
        assertThat(fixture.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void drainsOfTheEngineAndOfUsersAreTwoThings() {
        condition("node0", Condition.UP, true, "maintenance");
        fixture.submit(TestSpec.gpus(1));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(fixture.loop().cycle().scheduler.gpuUse().drainNote(0).reason())
                .isEqualTo("maintenance");
        condition("node0", Condition.UP, false, "");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        fixture.runAndGet(fixture.service().drain(LoopFixture.ANN, 0, true, "new fan"));
        condition("node0", Condition.UP, false, "");
        assertThat(fixture.loop().cycle().scheduler.gpuUse().isDrained(0)).isTrue();
        assertThat(fixture.loop().cycle().scheduler.gpuUse().drainNote(0).by()).isEqualTo("ann");
    }

    @Test
    void theLoadOfOthersIsNoPlaceForJobs() {
        report(new EngineEvent.ForeignLoadReported("node0", 1, List.of(), 0, 0));
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        assertThat(fixture.engine.orders).isEmpty();
        report(new EngineEvent.ForeignLoadReported("node0", 0, List.of("node0/0"), 0, 0));
        assertThat(fixture.loop().cycle().scheduler.gpuUse().foreignLoad(0).gpus())
                .containsExactly(0);
        report(new EngineEvent.ForeignLoadReported("node0", 0, List.of(), 0, 0));
        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0, 1]");
    }

    @Test
    void aNewNodeThatOthersUseGetsNoJobInBetween() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        report(
                new EngineEvent.NodeReported(machine("n1", LoopFixture.GPU_TYPE, "a", "b")),
                new EngineEvent.ForeignLoadReported("n1", 2, List.of(), 0, 0));
        assertThat(fixture.row(2).state()).isEqualTo(JobState.PENDING);
    }
}
