package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.cluster.ClusterSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs that ask for a part of a GPU, and nodes taken at random. */
class FractionalGpuTest {
    private static final Demand HALF = fraction(500, 0);

    private static Demand fraction(int milli, int memoryMib) {
        return new Demand(1, 1, memoryMib, milli, List.of(), 0, 0);
    }

    /** The GPUs each of these jobs gets, one after another; an empty list for jobs that get none. */
    private static List<List<Integer>> allocations(String cluster, String policy, Demand... demands) {
        Topology topology = ClusterSpec.parse(cluster);
        PolicySpec spec = PolicySpec.parse(policy);
        Scheduler scheduler =
                new Scheduler(topology, spec.create(), (job, now) -> 1, GuardMode.FULL, spec.memoryGuard());
        List<List<Integer>> all = new ArrayList<>();
        for (int i = 0; i < demands.length; i++) {
            Job job =
                    Job.builder(i + 1, demands[i].minGpus()).demand(demands[i]).build();
            Decision decision = scheduler.runCycle(i, List.of(new Event.Submitted(job)));
            List<Integer> gpus = new ArrayList<>();
            for (Order order : decision.orders()) {
                for (int gpu : ((Order.Start) order).allocation().toArray()) {
                    gpus.add(gpu);
                }
            }
            if (gpus.isEmpty()) {
                scheduler.runCycle(i, List.of(new Event.CancelRequested(i + 1)));
            }
            all.add(gpus);
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"first-fit", "best-fit", "consolidate", "spread", "random", "fgd"})
    void halvesShareAGpuAndAThirdNeedsAnother(String place) {
        List<List<Integer>> given = allocations("1x2", "fifo:share=100,place=" + place, HALF, HALF, HALF, HALF, HALF);

        Set<List<Integer>> used = new TreeSet<>(java.util.Comparator.comparing(List::toString));
        used.addAll(given.subList(0, 4));
        assertThat(used).hasSize(2);
        assertThat(given.get(4)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void withoutSharingAFractionTakesAWholeGpu(String place) {
        assertThat(allocations("1x2", "fifo:place=" + place, HALF, HALF, HALF).get(2))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void aWholeGpuIsNeverASharedGpu(String place) {
        List<List<Integer>> given = allocations(
                "1x2",
                "fifo:share=100,place=" + place,
                fraction(10, 0),
                Demand.gpus(1),
                Demand.gpus(1),
                fraction(990, 0));

        assertThat(given.get(1)).hasSize(1).isNotEqualTo(given.get(0));
        assertThat(given.get(2)).isEmpty();
        assertThat(given.get(3)).isEqualTo(given.get(0));
    }

    @Test
    void bestFitTakesTheGpuWithTheLeastLeftOver() {
        List<List<Integer>> given = allocations(
                "1x3",
                "fifo:share=100",
                fraction(300, 0),
                fraction(800, 0),
                fraction(200, 0),
                fraction(700, 0),
                fraction(600, 0));

        assertThat(given.get(1)).as("does not fit on the GPU of the first").isNotEqualTo(given.get(0));
        assertThat(given.get(2)).as("shares with 800, not with 300").isEqualTo(given.get(1));
        assertThat(given.get(3)).as("shares with 300").isEqualTo(given.get(0));
        assertThat(given.get(4))
                .as("on the third")
                .doesNotContainAnyElementsOf(given.get(0))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void aFractionGetsItsShareOfTheMemoryUnlessItRequestsMore(String place) {
        // K80: 12 GiB; the second states all that the first leaves, and more
        List<List<Integer>> fits = allocations("1x1:K80", "fifo:share=9,place=" + place, HALF, fraction(100, 6 * 1024));
        List<List<Integer>> tooMuch =
                allocations("1x1:K80", "fifo:share=9,place=" + place, HALF, fraction(100, 6 * 1024 + 1));

        assertThat(fits.get(1)).isEqualTo(fits.get(0));
        assertThat(tooMuch.get(1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void noMoreJobsShareThanAllowed(String place) {
        Demand tenth = fraction(100, 0);

        List<List<Integer>> given = allocations("1x1", "fifo:share=3,place=" + place, tenth, tenth, tenth, tenth);

        assertThat(given.get(2)).hasSize(1);
        assertThat(given.get(3)).isEmpty();
    }

    @Test
    void everyNodeIsAsLikely() {
        TreeMap<Integer, Integer> taken = new TreeMap<>();
        for (int seed = 0; seed < 1000; seed++) {
            int gpu = allocations("4x2", "fifo:place=random,seed=" + seed, Demand.gpus(2))
                    .get(0)
                    .get(0);
            taken.merge(gpu / 2, 1, Integer::sum);
        }

        // 250 expected, 13.7 of standard deviation
        assertThat(taken).hasSize(4);
        assertThat(taken.values()).allSatisfy(count -> assertThat(count).isBetween(190, 310));
    }

    @Test
    void everyGpuOfANodeIsAsLikely() {
        int together = 0;
        for (int seed = 0; seed < 1000; seed++) {
            List<List<Integer>> given = allocations("1x8", "fifo:share=100,place=random,seed=" + seed, HALF, HALF);
            together += given.get(0).equals(given.get(1)) ? 1 : 0;
        }

        // 125 expected, 10.5 of standard deviation
        assertThat(together).isBetween(80, 170);
    }

    @Test
    void theSameSeedChoosesTheSame() {
        Demand[] many = new Demand[40];
        java.util.Arrays.fill(many, fraction(150, 0));

        String random = "fifo:share=100,place=random,seed=";
        assertThat(allocations("8x4", random + 5, many)).isEqualTo(allocations("8x4", random + 5, many));
        assertThat(allocations("8x4", random + 5, many)).isNotEqualTo(allocations("8x4", random + 6, many));
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "fgd"})
    void aGangIsSplitOnlyIfNoNodeCanHoldIt(String place) {
        List<List<Integer>> given =
                allocations("2x4", "fifo:place=" + place, Demand.gpus(3), Demand.gpus(3), Demand.gpus(2));
        assertThat(given.get(2)).as("two are free, one on each node").isEmpty();

        assertThat(allocations("2x4", "fifo:place=" + place, Demand.gpus(6)).get(0))
                .hasSize(6);
    }
}
