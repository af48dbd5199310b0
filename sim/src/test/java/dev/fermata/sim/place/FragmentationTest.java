package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code place=fgd} against its definition, worked out the slow and obvious way on small clusters that only fill up. */
class FragmentationTest {
    private static final int JOBS = 120;
    private static final List<String> TYPES = List.of("T4", "P100");

    /** The free capacity, tracked apart from the program's own state. */
    private static final class ReferenceCapacity {
        final Topology topology;
        final int[] left;
        final long[] cpu;
        final long[] memory;

        ReferenceCapacity(Topology topology) {
            this.topology = topology;
            left = new int[topology.gpuCount()];
            java.util.Arrays.fill(left, 1000);
            cpu = topology.nodes().stream().mapToLong(Node::cpuMilli).toArray();
            memory = topology.nodes().stream().mapToLong(Node::memoryMib).toArray();
        }

        void take(Demand demand, int node, List<Integer> gpus, int sign) {
            gpus.forEach(gpu -> left[gpu] -= sign * demand.gpuMilli());
            cpu[node] -= (long) sign * gpus.size() * demand.cpuMilliPerGpu();
            memory[node] -= (long) sign * gpus.size() * demand.memoryMibPerGpu();
        }

        boolean serves(Demand demand, int node) {
            return gpusFor(demand, node).size() >= demand.minGpus()
                    && cpu[node] >= demand.minGpus() * demand.cpuMilliPerGpu()
                    && memory[node] >= demand.minGpus() * demand.memoryMibPerGpu()
                    && (demand.eligibleTypes(topology) >> topology.node(node).type() & 1) != 0;
        }

        List<Integer> gpusFor(Demand demand, int node) {
            Node location = topology.node(node);
            List<Integer> found = new ArrayList<>();
            for (int gpu = location.firstGpu(); gpu < location.firstGpu() + location.gpus(); gpu++) {
                if (left[gpu] >= demand.gpuMilli()) {
                    found.add(gpu);
                }
            }
            return found;
        }

        double fragmentation(int node, Map<Demand, Double> mix) {
            Node location = topology.node(node);
            double sum = 0;
            for (Map.Entry<Demand, Double> usual : mix.entrySet()) {
                boolean serves = serves(usual.getKey(), node);
                for (int gpu = location.firstGpu(); gpu < location.firstGpu() + location.gpus(); gpu++) {
                    boolean useful = serves && left[gpu] >= usual.getKey().gpuMilli();
                    sum += useful ? 0 : usual.getValue() * left[gpu] / 1000;
                }
            }
            return sum;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyJobGoesWhereFragmentationGrowsLeast(long seed) {
        Rng rng = new Rng(seed);
        Topology topology = topology(rng);
        List<Demand> demands = demands(rng);
        Scheduler scheduler = new Scheduler(
                topology, PolicySpec.parse("fifo:place=fgd,share=100").create(), (job, now) -> 1, GuardMode.FULL, true);
        ReferenceCapacity reference = new ReferenceCapacity(topology);
        Map<Demand, Integer> met = new HashMap<>();
        Map<Demand, Double> mix = Map.of();
        int known = 0;
        int fresh = 0;
        int placed = 0;
        for (int id = 1; id <= JOBS; id++) {
            Demand demand = demands.get(rng.weightedIndex(5, 4, 3, 2, 1, 1));
            met.merge(demand, 1, Integer::sum);
            known++;
            if (++fresh * 8 >= known) {
                fresh = 0;
                mix = mostCommon(met, known);
            }
            List<Event> events = new ArrayList<>();
            events.add(new Event.Submitted(
                    Job.builder(id, demand.minGpus()).demand(demand).build()));
            Decision decision = scheduler.runCycle(id, events);
            String location = "seed " + seed + ", job " + id + " " + demand;
            PlacementChoice best = best(reference, demand, mix);
            if (best == null) {
                assertThat(decision.orders()).as(location).isEmpty();
                scheduler.runCycle(id, List.of(new Event.CancelRequested(id)));
                continue;
            }
            placed++;
            Allocation given = ((Order.Start) decision.orders().get(0)).allocation();
            assertThat(given.nodeCount()).as(location).isEqualTo(1);
            assertThat(given.node(0)).as(location).isEqualTo(best.node);
            List<Integer> gpus = new ArrayList<>();
            for (int i = 0; i < given.size(); i++) {
                assertThat(reference.left[given.gpu(i)]).as(location).isEqualTo(best.left);
                gpus.add(given.gpu(i));
            }
            reference.take(demand, given.node(0), gpus, 1);
        }
        assertThat(placed).as("the test says something").isGreaterThan(15);
    }

    /** The node, and how much is left of the GPU or GPUs it takes there. */
    private record PlacementChoice(int node, int left, long score) {}

    private static PlacementChoice best(ReferenceCapacity reference, Demand demand, Map<Demand, Double> mix) {
        List<PlacementChoice> choices = new ArrayList<>();
        for (Node node : reference.topology.nodes()) {
            if (!reference.serves(demand, node.index())) {
                continue;
            }
            double before = reference.fragmentation(node.index(), mix);
            List<Integer> serving = reference.gpusFor(demand, node.index());
            if (demand.gpuMilli() < 1000) {
                // those in use come first
                serving.sort(Comparator.comparing((Integer gpu) -> reference.left[gpu] == 1000));
            }
            for (int i = 0; i < (demand.gpuMilli() < 1000 ? serving.size() : 1); i++) {
                List<Integer> gpus = demand.gpuMilli() < 1000
                        ? List.of(serving.get(i))
                        : serving.stream().limit(demand.minGpus()).toList();
                int left = reference.left[gpus.get(0)];
                reference.take(demand, node.index(), gpus, 1);
                double gain = before - reference.fragmentation(node.index(), mix);
                reference.take(demand, node.index(), gpus, -1);
                choices.add(new PlacementChoice(node.index(), left, (long) (100 / (1 + Math.exp(-gain)))));
            }
        }
        PlacementChoice best = null;
        for (PlacementChoice choice : choices) {
            best = best == null || choice.score > best.score ? choice : best;
        }
        return best;
    }

    private static Map<Demand, Double> mostCommon(Map<Demand, Integer> met, int known) {
        List<Demand> order = new ArrayList<>(met.keySet());
        order.sort(Comparator.comparing((Demand d) -> -met.get(d))
                .thenComparing(Demand::minGpus)
                .thenComparing(Demand::gpuMilli)
                .thenComparing(d -> d.minGpus() * d.cpuMilliPerGpu())
                .thenComparing(d -> d.minGpus() * d.memoryMibPerGpu()));
        Map<Demand, Double> kept = new HashMap<>();
        int covered = 0;
        for (Demand demand : order) {
            if (covered < 0.95 * known) {
                kept.put(demand, (double) met.get(demand));
                covered += met.get(demand);
            }
        }
        double all = covered;
        kept.replaceAll((demand, count) -> count / all);
        return kept;
    }

    private static Topology topology(Rng rng) {
        Topology.Builder builder = Topology.builder();
        int nodes = 5 + rng.uniformInt(6);
        for (int n = 0; n < nodes; n++) {
            builder.node(
                    "n" + n,
                    GpuCatalogue.byName(TYPES.get(rng.uniformInt(TYPES.size()))),
                    1 + rng.uniformInt(8),
                    8000 + 4000L * rng.uniformInt(6),
                    16000 + 8000L * rng.uniformInt(6));
        }
        return builder.build();
    }

    /** Parts, whole GPUs and gangs, some bound to a type, hungry for CPU and RAM to various degrees. */
    private static List<Demand> demands(Rng rng) {
        List<Demand> demands = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int gpus = rng.uniform() < 0.7 ? 1 : 2;
            int milli = gpus == 1 && rng.uniform() < 0.7 ? 50 + 50 * rng.uniformInt(18) : 1000;
            List<String> types = rng.uniform() < 0.2 ? List.of(TYPES.get(0)) : List.of();
            demands.add(new Demand(gpus, gpus, 0, milli, types, 250L * rng.uniformInt(12), 500L * (i + 1)));
        }
        return demands;
    }
}
