package dev.fermata.core.policy.ranking;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index against a walk over all jobs. */
class JobsByNodeTest {
    private static final int NODES = 6;
    private static final int GPUS = 8;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void findsTheNodesThatAWalkOverAllJobsFinds(long seed) {
        Random random = new Random(seed);
        Topology.Builder builder = Topology.builder().rack();
        for (int node = 0; node < NODES; node++) {
            builder.node(GpuCatalogue.byName("V100"), GPUS);
        }
        Topology topology = builder.build();
        JobsByNode index = new JobsByNode(NODES);
        Map<RankedJob, Allocation> all = new LinkedHashMap<>();
        int found = 0;
        int implied = 0;
        for (int id = 1; id <= 400; id++) {
            if (all.isEmpty() || (all.size() < 4 * NODES && random.nextInt(3) > 0)) {
                int[] gpus = random.ints(0, NODES * GPUS)
                        .distinct()
                        .limit(1 + random.nextInt(GPUS))
                        .toArray();
                Rank rank = new Rank(random.nextInt(2), random.nextInt(100), -random.nextInt(3), Long.MAX_VALUE);
                RankedJob entry =
                        new RankedJob(PastJob.of(Job.builder(id, gpus.length).build(), JobState.RUNNING, 0), rank);
                Allocation held = Allocation.of(topology, gpus, false);
                all.put(entry, held);
                index.add(entry, held, id);
            } else {
                RankedJob gone = all.keySet().stream()
                        .skip(random.nextInt(all.size()))
                        .findFirst()
                        .orElseThrow();
                index.remove(gone, Objects.requireNonNull(all.remove(gone)));
            }
            int[] available = random.ints(NODES, 0, 3).toArray();
            VictimNeed need = new VictimNeed(
                            1 + random.nextInt(GPUS), Rank.fixed(random.nextInt(2), random.nextInt(100)), id)
                    .atMost(1 + random.nextInt(3));
            int[] nodes = IntStream.range(0, NODES).toArray();
            int expected = -1;
            for (int node = NODES - 1; node >= 0; node--) {
                boolean may = mayFree(all, node, need, available[node]);
                assertThat(index.mayFree(node, need, available[node])).isEqualTo(may);
                expected = may ? node : expected;
            }
            assertThat(index.next(nodes, 0, need, node -> available[node])).isEqualTo(expected);
            VictimNeed other =
                    new VictimNeed(1 + random.nextInt(GPUS), Rank.fixed(random.nextInt(2), random.nextInt(100)), id);
            if (other.implies(need.atMost(Integer.MAX_VALUE))
                    && index.next(nodes, 0, need.atMost(Integer.MAX_VALUE), node -> available[node]) < 0) {
                assertThat(IntStream.of(nodes)
                                .filter(n -> need.gpus() > available[n] && index.mayFree(n, other, available[n])))
                        .isEmpty();
                implied++;
            }
            int from = random.nextInt(NODES);
            int exact = nextOfOneVictim(all, from, need);
            if (need.level() == 0) {
                assertThat(index.nextOfOneVictim(from, need)).isEqualTo(exact);
            } else if (exact >= 0) { // at other levels keys are rounded, and a node too many may be found
                assertThat(index.nextOfOneVictim(from, need)).isBetween(from, exact);
            }
            found += expected >= 0 ? 1 : 0;
        }
        assertThat(found).isBetween(40, 390);
        assertThat(implied).isPositive();
    }

    /** No jobs of equal rank are left out: whether they rank after is checked apart. */
    private static int nextOfOneVictim(Map<RankedJob, Allocation> all, int from, VictimNeed need) {
        Rank waiting = Rank.fixed(need.level(), need.key());
        return IntStream.range(from, NODES)
                .filter(node -> all.entrySet().stream()
                        .anyMatch(e -> e.getValue().gpusOnNode(node) >= need.gpus()
                                && !e.getKey().rank.isBefore(waiting, need.nowMillis())))
                .findFirst()
                .orElse(-1);
    }

    private static boolean mayFree(Map<RankedJob, Allocation> all, int node, VictimNeed need, int available) {
        Rank waiting = Rank.fixed(need.level(), need.key());
        int[] lower = all.entrySet().stream()
                .filter(e -> waiting.isBefore(e.getKey().rank, need.nowMillis()))
                .mapToInt(e -> e.getValue().gpusOnNode(node))
                .toArray();
        int missing = need.gpus() - available;
        int largest = IntStream.of(lower).max().orElse(0);
        return missing > 0 && IntStream.of(lower).sum() >= missing && largest * need.maxJobs() >= missing;
    }
}
