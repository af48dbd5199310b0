package dev.fermata.core.policy.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index against a walk over all nodes. */
class JoinableNodesTest {
    private static final int STEPS = 4;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 8, 13, 64})
    void findsTheNodesThatAWalkFinds(int nodes) {
        Topology topology = topology(nodes);
        Random random = new Random(nodes);
        JoinableGpus gpus = new JoinableGpus(STEPS, topology.gpuCount());
        JoinableNodes[] byGang = new JoinableNodes[5];
        for (int gang = 2; gang < byGang.length; gang++) {
            byGang[gang] = new JoinableNodes(topology, 0, gpus, gang);
        }
        for (int i = 0; i < 2000; i++) {
            int gpu = random.nextInt(topology.gpuCount());
            if (random.nextInt(8) > 0) {
                int mib = random.nextInt(8) == 0 ? JoinableGpus.NO_MEMORY : random.nextInt(40) - 5;
                gpus.put(gpu, random.nextInt(STEPS), 1 << random.nextInt(3), mib);
            } else {
                gpus.remove(gpu);
            }
            Arrays.stream(byGang, 2, byGang.length).forEach(index -> index.update(topology.nodeOf(gpu)));
            if (random.nextBoolean()) {
                continue; // several changes come between two searches
            }
            int gang = 2 + random.nextInt(byGang.length - 2);
            int step = random.nextInt(STEPS);
            int mib = random.nextInt(40);
            byGang[gang].refresh();
            int[] expected = IntStream.range(0, nodes)
                    .filter(node -> suffices(topology.node(node), gpus, gang, step, mib))
                    .toArray();
            int[] found = IntStream.iterate(
                            byGang[gang].next(0, step, mib),
                            node -> node >= 0,
                            node -> byGang[gang].next(node + 1, step, mib))
                    .toArray();
            assertThat(found).containsExactly(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void aNodeOfAnotherTypeIsNoneOfThem(int gang) {
        Topology topology = Topology.builder()
                .rack()
                .node(GpuCatalogue.byName("V100"), 4)
                .node(GpuCatalogue.byName("A100"), 4)
                .build();
        JoinableGpus gpus = new JoinableGpus(STEPS, topology.gpuCount());
        IntStream.range(0, 8).forEach(gpu -> gpus.put(gpu, 0, 1, 10));
        assertThat(nodes(topology, 0, gpus, gang).next(1, 0, 0)).isEqualTo(-1);
        assertThat(nodes(topology, 1, gpus, gang).next(0, 0, 0)).isEqualTo(1);
    }

    private static JoinableNodes nodes(Topology topology, int type, JoinableGpus gpus, int gang) {
        JoinableNodes nodes = new JoinableNodes(topology, type, gpus, gang);
        nodes.refresh();
        return nodes;
    }

    /** So many GPUs of at most this step, and so many with that much memory. */
    private static boolean suffices(Node node, JoinableGpus gpus, int gang, int step, int mib) {
        int[] open = IntStream.range(node.firstGpu(), node.firstGpu() + node.gpus())
                .filter(gpu -> gpus.mayJoin(gpu, gang))
                .toArray();
        return Arrays.stream(open).filter(gpu -> gpus.step(gpu) <= step).count() >= gang
                && Arrays.stream(open).filter(gpu -> gpus.freeMib(gpu) >= mib).count() >= gang;
    }

    private static Topology topology(int nodes) {
        Topology.Builder builder = Topology.builder().rack();
        IntStream.range(0, nodes).forEach(node -> builder.node(GpuCatalogue.byName("V100"), 1 + node % 5));
        return builder.build();
    }
}
