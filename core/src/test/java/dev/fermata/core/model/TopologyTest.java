package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
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
