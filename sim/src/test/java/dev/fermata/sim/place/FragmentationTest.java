package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
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

    /** What is left, kept apart from the program's own books. */
    private static final class Books {
        final Topology topology;
        final int[] left;
        final long[] cpu;
        final long[] memory;

        Books(Topology topology) {
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
            Node where = topology.node(node);
            List<Integer> found = new ArrayList<>();
            for (int gpu = where.firstGpu(); gpu < where.firstGpu() + where.gpus(); gpu++) {
                if (left[gpu] >= demand.gpuMilli()) {
                    found.add(gpu);
                }
            }
            return found;
        }

        double fragmentation(int node, Map<Demand, Double> mix) {
            Node where = topology.node(node);
            double sum = 0;
            for (Map.Entry<Demand, Double> usual : mix.entrySet()) {
                boolean serves = serves(usual.getKey(), node);
                for (int gpu = where.firstGpu(); gpu < where.firstGpu() + where.gpus(); gpu++) {
                    boolean useful = serves && left[gpu] >= usual.getKey().gpuMilli();
                    sum += useful ? 0 : usual.getValue() * left[gpu] / 1000;
                }
            }
            return sum;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyJobGoesWhereLeastBecomesUseless(long seed) {
        Rng rng = new Rng(seed);
        Topology topology = topology(rng);
        List<Demand> demands = demands(rng);
        Scheduler scheduler = new Scheduler(
                topology, PolicySpec.parse("fifo:place=fgd,share=100").create(), (job, now) -> 1, GuardMode.FULL, true);
        Books books = new Books(topology);
        Map<Demand, Integer> met = new HashMap<>();
        Map<Demand, Double> mix = Map.of();
        int known = 0;
        int fresh = 0;
        int placed = 0;
        for (int id = 1; id <= JOBS; id++) {
            Demand demand = demands.get(rng.pick(5, 4, 3, 2, 1, 1));
            met.merge(demand, 1, Integer::sum);
            known++;
            if (++fresh * 8 >= known) {
                fresh = 0;
                mix = commonest(met, known);
            }
            List<Event> news = new ArrayList<>();
            news.add(new Event.Submitted(
                    Job.builder(id, demand.minGpus()).demand(demand).build()));
            Decision decision = scheduler.step(id, news);
            String where = "seed " + seed + ", job " + id + " " + demand;
            Choice best = best(books, demand, mix);
            if (best == null) {
                assertThat(decision.commands()).as(where).isEmpty();
                scheduler.step(id, List.of(new Event.CancelAsked(id)));
                continue;
            }
            placed++;
            Allocation given = ((Command.Start) decision.commands().get(0)).allocation();
            assertThat(given.nodeCount()).as(where).isEqualTo(1);
            assertThat(given.node(0)).as(where).isEqualTo(best.node);
            List<Integer> gpus = new ArrayList<>();
            for (int i = 0; i < given.size(); i++) {
                assertThat(books.left[given.gpu(i)]).as(where).isEqualTo(best.left);
                gpus.add(given.gpu(i));
            }
            books.take(demand, given.node(0), gpus, 1);
        }
        assertThat(placed).as("the test says something").isGreaterThan(15);
    }

    /** The node, and how much is left of the GPU or GPUs it takes there. */
    private record Choice(int node, int left, long score) {}

    private static Choice best(Books books, Demand demand, Map<Demand, Double> mix) {
        List<Choice> choices = new ArrayList<>();
        for (Node node : books.topology.nodes()) {
            if (!books.serves(demand, node.index())) {
                continue;
            }
            double before = books.fragmentation(node.index(), mix);
            List<Integer> serving = books.gpusFor(demand, node.index());
            if (demand.gpuMilli() < 1000) {
                // those in use come first
                serving.sort(Comparator.comparing((Integer gpu) -> books.left[gpu] == 1000));
            }
            for (int i = 0; i < (demand.gpuMilli() < 1000 ? serving.size() : 1); i++) {
                List<Integer> gpus = demand.gpuMilli() < 1000
                        ? List.of(serving.get(i))
                        : serving.stream().limit(demand.minGpus()).toList();
                int left = books.left[gpus.get(0)];
                books.take(demand, node.index(), gpus, 1);
                double gain = before - books.fragmentation(node.index(), mix);
                books.take(demand, node.index(), gpus, -1);
                choices.add(new Choice(node.index(), left, (long) (100 / (1 + Math.exp(-gain)))));
            }
        }
        Choice best = null;
        for (Choice choice : choices) {
            best = best == null || choice.score > best.score ? choice : best;
        }
        return best;
    }

    private static Map<Demand, Double> commonest(Map<Demand, Integer> met, int known) {
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
        int nodes = 5 + rng.below(6);
        for (int n = 0; n < nodes; n++) {
            builder.node(
                    "n" + n,
                    GpuCatalogue.named(TYPES.get(rng.below(TYPES.size()))),
                    1 + rng.below(8),
                    8000 + 4000L * rng.below(6),
                    16000 + 8000L * rng.below(6));
        }
        return builder.build();
    }

    /** Parts, whole GPUs and gangs, some bound to a type, hungry for CPU and RAM to various degrees. */
    private static List<Demand> demands(Rng rng) {
        List<Demand> demands = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            int gpus = rng.uniform() < 0.7 ? 1 : 2;
            int milli = gpus == 1 && rng.uniform() < 0.7 ? 50 + 50 * rng.below(18) : 1000;
            List<String> types = rng.uniform() < 0.2 ? List.of(TYPES.get(0)) : List.of();
            demands.add(new Demand(gpus, gpus, 0, milli, types, 250L * rng.below(12), 500L * (i + 1)));
        }
        return demands;
    }
}
