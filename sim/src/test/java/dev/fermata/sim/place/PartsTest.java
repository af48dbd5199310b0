package dev.fermata.sim.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
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
class PartsTest {
    private static final Demand HALF = part(500, 0);

    private static Demand part(int milli, int memoryMib) {
        return new Demand(1, 1, memoryMib, milli, List.of(), 0, 0);
    }

    /** The GPUs each of these jobs gets, one after another; an empty list for those who get none. */
    private static List<List<Integer>> given(String cluster, String policy, Demand... demands) {
        Topology topology = ClusterSpec.parse(cluster);
        PolicySpec spec = PolicySpec.parse(policy);
        Scheduler scheduler =
                new Scheduler(topology, spec.create(), (job, now) -> 1, GuardMode.FULL, spec.memoryPromise());
        List<List<Integer>> all = new ArrayList<>();
        for (int i = 0; i < demands.length; i++) {
            Job job =
                    Job.builder(i + 1, demands[i].minGpus()).demand(demands[i]).build();
            Decision decision = scheduler.step(i, List.of(new Event.Submitted(job)));
            List<Integer> gpus = new ArrayList<>();
            for (Command command : decision.commands()) {
                for (int gpu : ((Command.Start) command).allocation().toArray()) {
                    gpus.add(gpu);
                }
            }
            if (gpus.isEmpty()) {
                scheduler.step(i, List.of(new Event.CancelAsked(i + 1)));
            }
            all.add(gpus);
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(strings = {"first-fit", "best-fit", "consolidate", "spread", "random", "fgd"})
    void halvesShareAGpuAndAThirdNeedsAnother(String place) {
        List<List<Integer>> given = given("1x2", "fifo:share=100,place=" + place, HALF, HALF, HALF, HALF, HALF);

        Set<List<Integer>> used = new TreeSet<>(java.util.Comparator.comparing(List::toString));
        used.addAll(given.subList(0, 4));
        assertThat(used).hasSize(2);
        assertThat(given.get(4)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void withoutSharingAPartTakesAWholeGpu(String place) {
        assertThat(given("1x2", "fifo:place=" + place, HALF, HALF, HALF).get(2)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void aWholeGpuIsNeverOneInParts(String place) {
        List<List<Integer>> given = given(
                "1x2", "fifo:share=100,place=" + place, part(10, 0), Demand.gpus(1), Demand.gpus(1), part(990, 0));

        assertThat(given.get(1)).hasSize(1).isNotEqualTo(given.get(0));
        assertThat(given.get(2)).isEmpty();
        assertThat(given.get(3)).isEqualTo(given.get(0));
    }

    @Test
    void bestFitTakesTheGpuOfWhichLeastIsLeftOver() {
        List<List<Integer>> given =
                given("1x3", "fifo:share=100", part(300, 0), part(800, 0), part(200, 0), part(700, 0), part(600, 0));

        assertThat(given.get(1)).as("no room beside the first").isNotEqualTo(given.get(0));
        assertThat(given.get(2)).as("beside 800, not beside 300").isEqualTo(given.get(1));
        assertThat(given.get(3)).as("beside 300").isEqualTo(given.get(0));
        assertThat(given.get(4))
                .as("on the third")
                .doesNotContainAnyElementsOf(given.get(0))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void aPartIsHeldToItsPartOfTheMemoryUnlessItStatesMore(String place) {
        // K80: 12 GiB; the second states all that the first leaves, and more
        List<List<Integer>> fits = given("1x1:K80", "fifo:share=9,place=" + place, HALF, part(100, 6 * 1024));
        List<List<Integer>> tooMuch = given("1x1:K80", "fifo:share=9,place=" + place, HALF, part(100, 6 * 1024 + 1));

        assertThat(fits.get(1)).isEqualTo(fits.get(0));
        assertThat(tooMuch.get(1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"best-fit", "random", "fgd"})
    void noMoreJobsShareThanAllowed(String place) {
        Demand tenth = part(100, 0);

        List<List<Integer>> given = given("1x1", "fifo:share=3,place=" + place, tenth, tenth, tenth, tenth);

        assertThat(given.get(2)).hasSize(1);
        assertThat(given.get(3)).isEmpty();
    }

    @Test
    void everyNodeIsAsLikely() {
        TreeMap<Integer, Integer> taken = new TreeMap<>();
        for (int seed = 0; seed < 1000; seed++) {
            int gpu = given("4x2", "fifo:place=random,seed=" + seed, Demand.gpus(2))
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
            List<List<Integer>> given = given("1x8", "fifo:share=100,place=random,seed=" + seed, HALF, HALF);
            together += given.get(0).equals(given.get(1)) ? 1 : 0;
        }

        // 125 expected, 10.5 of standard deviation
        assertThat(together).isBetween(80, 170);
    }

    @Test
    void theSameSeedChoosesTheSame() {
        Demand[] many = new Demand[40];
        java.util.Arrays.fill(many, part(150, 0));

        String random = "fifo:share=100,place=random,seed=";
        assertThat(given("8x4", random + 5, many)).isEqualTo(given("8x4", random + 5, many));
        assertThat(given("8x4", random + 5, many)).isNotEqualTo(given("8x4", random + 6, many));
    }

    @ParameterizedTest
    @ValueSource(strings = {"random", "fgd"})
    void aGangIsSplitOnlyIfNoNodeCouldEverHoldIt(String place) {
        List<List<Integer>> given = given("2x4", "fifo:place=" + place, Demand.gpus(3), Demand.gpus(3), Demand.gpus(2));
        assertThat(given.get(2)).as("two are free, one on each node").isEmpty();

        assertThat(given("2x4", "fifo:place=" + place, Demand.gpus(6)).get(0)).hasSize(6);
    }
}
