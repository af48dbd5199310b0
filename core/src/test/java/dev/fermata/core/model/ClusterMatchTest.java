package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The numbers of GPUs after a cluster has changed. */
class ClusterMatchTest {
    private static final GpuType H100 = GpuCatalogue.byName("H100");
    private static final GpuType A100 = GpuCatalogue.byName("A100");

    private static Topology machine(GpuType type, String... gpuIds) {
        return machine("m1", type, gpuIds);
    }

    private static Topology machine(String id, GpuType type, String... gpuIds) {
        return node(Topology.builder().rack("local"), id, type, gpuIds).build();
    }

    private static Topology.Builder node(Topology.Builder builder, String id, GpuType type, String... gpuIds) {
        return builder.node(
                "host-" + id, type, gpuIds.length, 64_000, 1000, new NodeInventory(id, List.of(gpuIds), List.of()));
    }

    private static List<String> ids(Topology topology) {
        return IntStream.range(0, topology.gpuCount())
                .mapToObj(gpu -> topology.gpuId(gpu) + (topology.isMissing(gpu) ? "?" : ""))
                .toList();
    }

    @Test
    void theFirstClusterIsTakenAsFound() {
        Topology found = machine(H100, "a", "b");
        assertThat(ClusterMatch.match(null, found)).isSameAs(found);
        assertThat(ClusterMatch.match(found, machine(H100, "a", "b"))).isEqualTo(found);
    }

    @Test
    void aMissingGpuKeepsItsNumberAndTheOthersKeepTheirs() {
        Topology known = machine(H100, "a", "b", "c", "d");
        Topology now = ClusterMatch.match(known, machine(H100, "a", "c", "d"));
        assertThat(ids(now)).containsExactly("a", "b?", "c", "d");
        assertThat(now.gpuCount()).isEqualTo(4);
        assertThat(now.gpuCount(0)).isEqualTo(3);
        assertThat(now.largestNode(0)).isEqualTo(3);
        assertThat(now.continues(known)).isTrue();
        assertThat(ClusterMatch.match(now, known)).isEqualTo(known);
    }

    @Test
    void aNewGpuIsAppendedInWhateverOrderItIsFound() {
        Topology now = ClusterMatch.match(machine(H100, "b", "c"), machine(H100, "a", "c", "b"));
        assertThat(ids(now)).containsExactly("b", "c", "a");
        assertThat(now.nodes()).hasSize(1);
        assertThat(now.continues(machine(H100, "b", "c"))).isTrue();
        assertThat(now.continues(machine(H100, "c", "b"))).isFalse();
    }

    @Test
    void gpusWithoutIdsAreKnownByTheirPosition() {
        Topology four = Topology.builder().node("n", H100, 4, 1000, 1000).build();
        Topology two = Topology.builder().node("n", H100, 2, 1000, 1000).build();
        assertThat(ids(ClusterMatch.match(four, two))).containsExactly("n/0", "n/1", "n/2?", "n/3?");
        assertThat(ClusterMatch.match(two, four)).isEqualTo(four);
    }

    @Test
    void aNodeInTheMiddleCannotGrowAndItsNewGpusAreANodeOfTheirOwn() {
        Topology known = node(
                        node(Topology.builder().rack("r1"), "m1", H100, "a", "b")
                                .rack("r2"),
                        "m2",
                        A100,
                        "x")
                .build();
        Topology found = node(
                        node(Topology.builder().rack("r1"), "m1", H100, "a", "b", "c", "d")
                                .rack("r2"),
                        "m2",
                        A100,
                        "x")
                .build();
        Topology now = ClusterMatch.match(known, found);
        assertThat(ids(now)).containsExactly("a", "b", "x", "c", "d");
        assertThat(now.nodes()).extracting(Node::id).containsExactly("m1", "m2", "m1~2");
        assertThat(now.nodes()).extracting(Node::name).containsExactly("host-m1", "host-m2", "host-m1~2");
        assertThat(now.racks()).extracting(Rack::name).containsExactly("r1", "r2");
        assertThat(now.nodes()).extracting(Node::cpuMilli).containsExactly(32_000L, 64_000L, 32_000L);
        assertThat(ClusterMatch.match(now, found)).isEqualTo(now);
    }

    @Test
    void aRenamedMachineKeepsTheNumbersOfItsGpus() {
        Topology now = ClusterMatch.match(machine("old", H100, "a", "b"), machine("new", H100, "b", "a"));
        assertThat(ids(now)).containsExactly("a", "b");
        assertThat(now.node(0).id()).isEqualTo("new");
        assertThat(now.node(0).name()).isEqualTo("host-new");
    }

    @Test
    void aMachineWithAnotherHostNameIsTheSame() {
        Topology known = Topology.builder()
                .node("old", H100, 2, 1000, 1000, NodeInventory.of("m"))
                .build();
        Topology found = Topology.builder()
                .node("new", H100, 2, 1000, 1000, NodeInventory.of("m"))
                .build();
        assertThat(ClusterMatch.match(known, found)).isEqualTo(found);
    }

    @Test
    void anotherMachineIsAppendedAndTheFirstIsMissing() {
        Topology now = ClusterMatch.match(machine("m1", H100, "a", "b"), machine("m2", A100, "x"));
        assertThat(ids(now)).containsExactly("a?", "b?", "x");
        assertThat(now.nodes()).extracting(Node::presentGpus).containsExactly(0, 1);
        assertThat(ids(ClusterMatch.match(now, machine("m1", H100, "a", "b")))).containsExactly("a", "b", "x?");
    }

    @Test
    void aTypeIsWhatTheMachineReportsNow() {
        GpuType driver = new GpuType("H100", 80_000, 4.0);
        Topology now = ClusterMatch.match(machine(H100, "a", "b"), machine(driver, "a", "b"));
        assertThat(now.types()).containsExactly(driver);
        Topology other = ClusterMatch.match(now, machine(A100, "a", "b"));
        assertThat(other.types()).containsExactly(A100);
    }

    /** A second number for a GPU would show it as free while a job holds the first. */
    @Test
    void aGpuThatIsFoundOnAnotherKnownNodeKeepsItsOnlyNumber() {
        Topology known = node(node(Topology.builder(), "m:H", H100, "a", "b"), "m:A", A100, "c", "d")
                .build();
        Topology found = node(node(Topology.builder(), "m:H", H100, "a", "b", "c"), "m:A", A100, "d")
                .build();
        Topology now = ClusterMatch.match(known, found);
        assertThat(ids(now)).containsExactly("a", "b", "c", "d");
        assertThat(now.types().get(now.typeOf(2))).isEqualTo(A100);
    }

    @Test
    void idsDiffer() {
        Topology.Builder two = node(node(Topology.builder(), "m1", H100, "a"), "m2", H100, "a");
        assertThatThrownBy(two::build).hasMessageContaining("gpu id (a) of node (host-m2) is used twice");
        assertThatThrownBy(() -> machine(H100, "a", "a"))
                .hasMessageContaining("m1")
                .hasMessageContaining("[a, a]");
        assertThatThrownBy(() -> machine(" ", H100, "a")).hasMessageContaining("blank");
    }

    /** Whatever comes and goes: an id has one number for ever, and is missing exactly while it is not found. */
    @Test
    void aNumberNeverMeansAnotherGpu() {
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            Map<String, Integer> numbers = new LinkedHashMap<>();
            Topology known = null;
            for (int change = 0; change < 12; change++) {
                Topology found = randomCluster(random);
                Topology now = ClusterMatch.match(known, found);
                List<String> there = ids(found);
                for (int gpu = 0; gpu < now.gpuCount(); gpu++) {
                    String id = now.gpuId(gpu);
                    assertThat(numbers.putIfAbsent(id, gpu))
                            .as("seed %s: %s", seed, id)
                            .isIn(null, gpu);
                    assertThat(now.isMissing(gpu)).isEqualTo(!there.contains(id));
                }
                assertThat(ids(now)).containsAll(there);
                assertThat(known == null || now.continues(known)).isTrue();
                assertThat(ClusterMatch.match(now, found)).isEqualTo(now);
                known = now;
            }
        }
    }

    /** Some of twelve GPUs, anyhow on up to three machines in two racks. */
    private static Topology randomCluster(SplittableRandom random) {
        String[] all = IntStream.range(0, 12).mapToObj(i -> "g" + i).toArray(String[]::new);
        for (int i = all.length - 1; i > 0; i--) {
            int j = random.nextInt(i + 1);
            String gpu = all[i];
            all[i] = all[j];
            all[j] = gpu;
        }
        Topology.Builder builder = Topology.builder().rack("r1");
        int machines = 1 + random.nextInt(3);
        for (int machine = 0; machine < machines; machine++) {
            if (machine == 1) {
                builder.rack("r2");
            }
            String[] gpus = Arrays.copyOfRange(all, machine * 4, machine * 4 + 1 + random.nextInt(4));
            node(builder, "m" + machine, random.nextBoolean() ? H100 : A100, gpus);
        }
        return builder.build();
    }
}
