package dev.fermata.live.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.RankMap.NodeRanks;
import dev.fermata.live.engine.RankMap.Rank;
import dev.fermata.live.spec.JobSpec;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Ranks of gangs over several nodes. */
class RankMapTest {
    private static final Topology CLUSTER = Topology.builder()
            .node("a", GpuCatalogue.byName("V100"), 4, 8_000, 1_000)
            .node("b", GpuCatalogue.byName("V100"), 4, 8_000, 1_000)
            .node("c", GpuCatalogue.byName("V100"), 4, 8_000, 1_000)
            .build();
    /** One GPU of a, three of b, two of c. */
    private static final Allocation SPREAD = Allocation.of(CLUSTER, new int[] {3, 4, 5, 7, 8, 11}, false);

    @Test
    void oneRankPerGpuRunsOnTheNodeOfItsGpu() {
        RankMap map = RankMap.of(JobSpec.RANK_PER_GPU, SPREAD, CLUSTER);

        assertThat(map.nodes())
                .containsExactly(
                        new NodeRanks(0, "a", 0, 1, 0, 1),
                        new NodeRanks(1, "b", 1, 3, 1, 3),
                        new NodeRanks(2, "c", 4, 2, 4, 2));
        assertThat(map.ranks())
                .containsExactly(
                        new Rank(0, 0, 0),
                        new Rank(1, 1, 0),
                        new Rank(2, 1, 1),
                        new Rank(3, 1, 2),
                        new Rank(4, 2, 0),
                        new Rank(5, 2, 1));
    }

    @Test
    void oneRankPerNodeIsWhatALauncherPerNodeNeeds() {
        RankMap map = RankMap.of(JobSpec.RANK_PER_NODE, SPREAD, CLUSTER);

        assertThat(map.ranks()).containsExactly(new Rank(0, 0, 0), new Rank(1, 1, 0), new Rank(2, 2, 0));
        assertThat(map.variables("10.0.0.1", 29_500))
                .containsEntry("WORLD_SIZE", "3")
                .containsEntry("MASTER_ADDR", "10.0.0.1")
                .containsEntry("MASTER_PORT", "29500")
                .containsEntry("FERMATA_NODES", "a,b,c")
                .containsEntry("SLURM_NNODES", "3")
                .containsEntry("SLURM_TASKS_PER_NODE", "1,1,1");
    }

    @Test
    void fewerRanksThanGpusAreSpreadOverThem() {
        RankMap map = RankMap.of(3, SPREAD, CLUSTER);

        assertThat(map.nodes()).extracting(NodeRanks::ranks).containsExactly(1, 1, 1);
        assertThat(RankMap.of(1, SPREAD, CLUSTER).nodes())
                .extracting(NodeRanks::ranks)
                .containsExactly(1, 0, 0);
    }

    @Test
    void everyRankIsMappedOnceWhateverTheirNumber() {
        for (int ranks = 1; ranks <= 40; ranks++) {
            RankMap map = RankMap.of(ranks, SPREAD, CLUSTER);

            assertThat(map.ranks())
                    .extracting(Rank::rank)
                    .containsExactlyElementsOf(IntStream.range(0, ranks).boxed().toList());
            assertThat(map.nodes().stream().mapToInt(NodeRanks::ranks).sum()).isEqualTo(ranks);
            map.ranks()
                    .forEach(rank -> assertThat(map.nodes().get(rank.nodeRank()).firstRank() + rank.localRank())
                            .isEqualTo(rank.rank()));
        }
    }

    @Test
    void aRankKnowsItsNodeAndItsPlaceThere() {
        RankMap map = RankMap.of(JobSpec.RANK_PER_GPU, SPREAD, CLUSTER);

        assertThat(map.variables(map.ranks().get(3)))
                .containsEntry("RANK", "3")
                .containsEntry("LOCAL_RANK", "2")
                .containsEntry("NODE_RANK", "1")
                .containsEntry("LOCAL_WORLD_SIZE", "3")
                .containsEntry("SLURM_NODEID", "1");
    }
}
