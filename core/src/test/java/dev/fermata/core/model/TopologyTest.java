package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopologyTest {
    private static final GpuType V100 = GpuCatalogue.byName("V100");
    private static final GpuType K80 = GpuCatalogue.byName("K80");
    /** Two racks of two nodes of four V100, and a K80 node in the second. */
    private static final Topology CLUSTER = Topology.builder()
            .rack()
            .node(V100, 4)
            .node(V100, 4)
            .rack()
            .node(V100, 4)
            .node(V100, 4)
            .node(K80, 2)
            .build();

    @Test
    void gpusAreNumberedNodeByNode() {
        assertThat(CLUSTER.gpuCount()).isEqualTo(18);
        assertThat(CLUSTER.gpuCount(0)).isEqualTo(16);
        assertThat(CLUSTER.nodeOf(0)).isZero();
        assertThat(CLUSTER.nodeOf(7)).isEqualTo(1);
        assertThat(CLUSTER.nodeOf(17)).isEqualTo(4);
        assertThat(CLUSTER.types().get(CLUSTER.typeOf(16)).name()).isEqualTo("K80");
        assertThat(CLUSTER.racks()).extracting(Rack::firstNode).containsExactly(0, 2);
        assertThat(CLUSTER.racks()).extracting(Rack::endNode).containsExactly(2, 5);
    }

    @ParameterizedTest
    @CsvSource({"1,1,1,1", "4,4,1,1", "5,3,2,1", "8,4,2,1", "9,3,2,2", "16,4,2,2"})
    void theTightestPlaceUsesAsFewNodesAndRacksAsItCan(int gpus, int perNode, int nodes, int racks) {
        assertThat(CLUSTER.tightest(0, gpus)).isEqualTo(new Shape(perNode, nodes, racks));
    }

    @Test
    void unevenPlacesRoundUp() {
        assertThat(Shape.of(9, 2, 1)).isEqualTo(new Shape(5, 2, 1));
        assertThat(Shape.of(3, 3, 2)).isEqualTo(new Shape(1, 2, 2));
    }

    @ParameterizedTest
    @CsvSource({"1,1,1,GPU", "4,1,1,NODE", "4,2,1,RACK", "2,2,2,NETWORK"})
    void theTierIsTheFarthestLink(int gpus, int nodes, int racks, Tier tier) {
        assertThat(Shape.of(gpus, nodes, racks).tier()).isEqualTo(tier);
    }

    @Test
    void anAllocationKnowsItsNodesAndItsShape() {
        Allocation allocation = Allocation.of(CLUSTER, new int[] {9, 0, 1, 5}, false);

        assertThat(allocation.toArray()).containsExactly(0, 1, 5, 9);
        assertThat(allocation.nodeCount()).isEqualTo(3);
        assertThat(allocation.gpusOnNode(0)).isEqualTo(2);
        assertThat(allocation.gpusOnNode(3)).isZero();
        assertThat(allocation.contains(5)).isTrue();
        assertThat(allocation.contains(6)).isFalse();
        assertThat(allocation.shape()).isEqualTo(new Shape(2, 2, 2));
        assertThat(allocation.tier()).isEqualTo(Tier.NETWORK);
    }

    @Test
    void anAllocationOfOneGpuIsAsGoodAsAnyOther() {
        Allocation one = Allocation.of(CLUSTER, new int[] {7}, true);

        assertThat(one.shape()).isEqualTo(Shape.of(1, 1, 1));
        assertThat(one.node(0)).isEqualTo(1);
        assertThat(one.gpusOn(0)).isEqualTo(1);
        assertThat(one.tier()).isEqualTo(Tier.GPU);
    }

    @Test
    void anAllocationIsEqualByGpusAndSharing() {
        Allocation alone = Allocation.of(CLUSTER, new int[] {1, 0}, false);

        assertThat(alone).isEqualTo(Allocation.of(CLUSTER, new int[] {0, 1}, false));
        assertThat(alone).isNotEqualTo(Allocation.of(CLUSTER, new int[] {0, 1}, true));
    }

    @Test
    void anAllocationNamesEachGpuOnce() {
        assertThatThrownBy(() -> Allocation.of(CLUSTER, new int[] {3, 3}, false))
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> Allocation.of(CLUSTER, new int[] {}, false)).hasMessageContaining("at least one");
    }

    @Test
    void aDemandIsEligibleWhereNameAndMemoryAllow() {
        assertThat(Demand.gpus(1).eligibleTypes(CLUSTER)).isEqualTo(0b11);
        assertThat(demand(20_000).eligibleTypes(CLUSTER)).isEqualTo(0b01);
        assertThat(demand(40_000).eligibleTypes(CLUSTER)).isZero();
        assertThat(demand(1, "k80").eligibleTypes(CLUSTER)).isEqualTo(0b10);
        assertThat(demand(1, "K80", "v100").eligibleTypes(CLUSTER)).isEqualTo(0b11);
        assertThat(demand(20_000, "K80").eligibleTypes(CLUSTER)).isZero();
    }

    private static Demand demand(int memoryMib, String... types) {
        return new Demand(1, 1, memoryMib, 1000, List.of(types), 0, 0);
    }

    /** Whatever changes: what is counted in place is what a fresh count gives. */
    @Test
    void aChangedNodeGivesTheSameClusterAsOneCountedAfresh() {
        SplittableRandom random = new SplittableRandom(4);
        Topology cluster = CLUSTER;
        for (int change = 0; change < 400; change++) {
            boolean last = random.nextInt(8) == 0;
            int slot = last
                    ? cluster.nodes().size() - 1
                    : random.nextInt(cluster.nodes().size());
            NodeSpec was = NodeSpec.of(cluster, slot);
            int gpus = last && was.gpus() < 12 ? was.gpus() + random.nextInt(2) : was.gpus();
            List<Integer> missing = IntStream.range(0, gpus)
                    .filter(gpu -> random.nextInt(3) == 0)
                    .boxed()
                    .toList();
            NodeSpec now = new NodeSpec(
                    "n" + change,
                    random.nextInt(6) == 0 ? "rack" + random.nextInt(4) : was.rack(),
                    random.nextInt(6) == 0 ? (random.nextBoolean() ? V100 : K80) : was.type(),
                    gpus,
                    was.host(),
                    new NodeInventory("n" + change, List.of(), missing));
            Topology changed = cluster.withNode(slot, now);
            Topology counted = changed.withSuspendMemoryMib(changed.node(0).suspendMemoryMib());
            assertThat(changed).isEqualTo(counted).isNotSameAs(counted);
            assertThat(NodeSpec.of(changed, slot)).isEqualTo(now);
            assertThat(changed.continues(cluster)).isEqualTo(false);
            for (int type = 0; type < 2; type++) {
                assertThat(changed.gpuCount(type)).isEqualTo(counted.gpuCount(type));
                assertThat(changed.largestNode(type)).isEqualTo(counted.largestNode(type));
                assertThat(changed.largestRack(type)).isEqualTo(counted.largestRack(type));
                assertThat(changed.shareRack(type, 1 - type)).isEqualTo(counted.shareRack(type, 1 - type));
            }
            for (int gpu = 0; gpu < changed.gpuCount(); gpu++) {
                assertThat(changed.isMissing(gpu)).isEqualTo(counted.isMissing(gpu));
                assertThat(changed.nodeOf(gpu)).isEqualTo(counted.nodeOf(gpu));
            }
            cluster = changed;
        }
        assertThat(cluster.withNode(0, NodeSpec.of(cluster, 0))).isSameAs(cluster);
    }

    @Test
    void onlyTheLastNodeGrows() {
        NodeSpec grown = new NodeSpec("big", "rack1", K80, 6, CLUSTER.node(4).host(), NodeInventory.of("node4"));
        Topology now = CLUSTER.withNode(4, grown);
        assertThat(now.gpuCount()).isEqualTo(22);
        assertThat(now.continues(CLUSTER)).isTrue();
        assertThatThrownBy(() -> CLUSTER.withNode(3, grown)).hasMessageContaining("cannot take the slot");
    }

    @Test
    void impossibleDemandsAreRejected() {
        assertThatThrownBy(() -> Demand.gpus(0)).hasMessageContaining("gpus (0) must be positive");
        assertThatThrownBy(() -> new Demand(4, 2, 0, 1000, List.of(), 0, 0))
                .hasMessageContaining("max gpus (2) must not be below min gpus (4)");
        assertThatThrownBy(() -> new Demand(1, 1, 0, 1001, List.of(), 0, 0)).hasMessageContaining("gpu share");
    }

    @Test
    void knownGpusAreFoundWhateverTheCase() {
        assertThat(GpuCatalogue.byName("h100").name()).isEqualTo("H100");
        assertThat(GpuCatalogue.byName("MI300X")).isEqualTo(new GpuType("MI300X", 32768, 1.0));
        assertThat(GpuCatalogue.known()).extracting(GpuType::name).doesNotHaveDuplicates();
    }

    @Test
    void aResumedStartAlsoRestores() {
        Costs costs = new Costs(10, 20, 30, 40);

        assertThat(costs.loadMillis(false)).isEqualTo(60);
        assertThat(costs.loadMillis(true)).isEqualTo(90);
        assertThat(costs.scaled(1.5)).isEqualTo(new Costs(15, 30, 45, 60));
        assertThat(costs.scaled(0)).isEqualTo(Costs.NONE);
        assertThatThrownBy(() -> new Costs(-1, 0, 0, 0)).hasMessageContaining("negative");
    }
}
