package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bound against the true optimum of tiny cases, found by trying every set of jobs in every unit of time. */
class LowerBoundTest {
    static IntStream seeds() {
        return IntStream.rangeClosed(1, 120);
    }

    /** A tiny case in whole seconds. */
    private static final class SmallInstance {
        final int gpus;
        final int[] release;
        final int[] work;
        final int[] size;

        SmallInstance(int seed) {
            Random random = new Random(seed);
            int n = 2 + random.nextInt(4);
            gpus = 1 + random.nextInt(4);
            release = random.ints(n, 0, 5).sorted().toArray();
            work = random.ints(n, 1, 5).toArray();
            size = random.ints(n, 1, gpus + 1).toArray();
        }

        List<SimulatedJob> jobs() {
            List<SimulatedJob> jobs = new ArrayList<>();
            for (int i = 0; i < work.length; i++) {
                jobs.add(SimulatedJob.of(Job.builder(i + 1, size[i]).build(), release[i] * 1000L, work[i] * 1000L));
            }
            return jobs;
        }

        /** Least sum of completion minus release when gangs may be preempted after every second for free. */
        int best() {
            return best(0, work, new HashMap<>());
        }

        private int best(int now, int[] left, Map<List<Integer>, Integer> known) {
            List<Integer> key = new ArrayList<>(Arrays.stream(left).boxed().toList());
            key.add(now);
            Integer seen = known.get(key);
            if (seen != null) {
                return seen;
            }
            boolean over = Arrays.stream(left).allMatch(l -> l == 0);
            int best = over ? 0 : Integer.MAX_VALUE;
            for (int set = over ? 1 << left.length : 0; set < 1 << left.length; set++) {
                int used = 0;
                int done = 0;
                boolean possible = true;
                int[] after = left.clone();
                for (int i = 0; i < left.length && possible; i++) {
                    if ((set >> i & 1) != 0) {
                        used += size[i];
                        possible = left[i] > 0 && release[i] <= now && used <= gpus;
                        after[i]--;
                        done += after[i] == 0 ? now + 1 - release[i] : 0;
                    }
                }
                boolean idle = set == 0 && Arrays.stream(release).allMatch(r -> r <= now);
                if (possible && !idle) {
                    int rest = best(now + 1, after, known);
                    best = rest == Integer.MAX_VALUE ? best : Math.min(best, done + rest);
                }
            }
            known.put(key, best);
            return best;
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noScheduleBeatsAnyOfTheThreeBounds(int seed) {
        SmallInstance tiny = new SmallInstance(seed);
        int n = tiny.work.length;
        double[] release = Arrays.stream(tiny.release).asDoubleStream().toArray();
        double[] work = Arrays.stream(tiny.work).asDoubleStream().toArray();
        double[] area = new double[n];
        for (int i = 0; i < n; i++) {
            area[i] = work[i] * tiny.size[i] / tiny.gpus;
        }
        double optimum = tiny.best();

        assertThat(Arrays.stream(work).sum()).isLessThanOrEqualTo(optimum + 1e-9);
        assertThat(LowerBound.pooledSrpt(release, area)).isLessThanOrEqualTo(optimum + 1e-9);
        assertThat(LowerBound.busyTimes(release, area, work)).isLessThanOrEqualTo(optimum + 1e-9);
        assertThat(LowerBound.meanJctSeconds(new Workload("tiny", tiny.jobs()), ClusterSpec.parse("1x" + tiny.gpus)))
                .isLessThanOrEqualTo(optimum / n + 1e-9);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noPolicyBeatsTheOptimum(int seed) {
        SmallInstance tiny = new SmallInstance(seed);
        double optimum = (double) tiny.best() / tiny.work.length;
        for (String policy : PolicyCatalogue.names()) {
            TestSimulation simulation = TestSimulation.on("1x" + tiny.gpus, policy);
            tiny.jobs().forEach(simulation::job);

            assertThat(simulation.run().metrics().summary().all().jct().mean())
                    .as("seed %d, policy %s", seed, policy)
                    .isGreaterThanOrEqualTo(optimum - 1e-9);
        }
    }

    @Test
    void aSingleJobIsBoundByItsOwnTime() {
        Workload one = new Workload(
                "one",
                List.of(SimulatedJob.of(
                        Job.builder(1, 1)
                                .costs(new Costs(7_000, 10_000, 5_000, 2_000))
                                .build(),
                        3_000,
                        100_000)));

        assertThat(LowerBound.meanJctSeconds(one, ClusterSpec.parse("2x2:V100")))
                .isCloseTo(112, within(0.01));
        assertThat(LowerBound.meanJctSeconds(one, ClusterSpec.parse("1x1:H100")))
                .isCloseTo(37, within(0.01));
    }

    @Test
    void equalJobsAtOnceAreBoundBySrpt() {
        List<SimulatedJob> jobs = new ArrayList<>();
        for (int id = 1; id <= 4; id++) {
            jobs.add(SimulatedJob.of(Job.builder(id, 2).build(), 0, 10_000));
        }

        // one gang at a time: 10, 20, 30, 40
        assertThat(LowerBound.meanJctSeconds(new Workload("w", jobs), ClusterSpec.parse("1x2")))
                .isCloseTo(25, within(0.001));
    }

    @Test
    void halfBusyJobsAreBoundByTwoAtATime() {
        Demand half = new Demand(1, 1, 0, 500, List.of(), 0, 0);
        Profile halfBusy = new Profile("", 100, 0.5, 0, 1, 0, Map.of());
        List<SimulatedJob> jobs = new ArrayList<>();
        for (int id = 1; id <= 100; id++) {
            jobs.add(SimulatedJob.of(
                    Job.builder(id, 1).demand(half).profile(halfBusy).build(), 0, 1_000_000));
        }

        // two at a time: 1000, 1000, 2000, 2000, …
        assertThat(LowerBound.meanJctSeconds(new Workload("w", jobs), ClusterSpec.parse("1x1")))
                .isGreaterThan(20_000)
                .isLessThanOrEqualTo(25_500);
    }

    @Test
    void infeasibleJobsDoNotCount() {
        Workload workload = new Workload(
                "w",
                List.of(
                        SimulatedJob.of(Job.builder(1, 8).build(), 0, 1_000_000),
                        SimulatedJob.of(Job.builder(2, 1).build(), 0, 10_000)));

        assertThat(LowerBound.meanJctSeconds(workload, ClusterSpec.parse("1x2")))
                .isCloseTo(10, within(0.001));
        assertThat(LowerBound.meanJctSeconds(new Workload("none", List.of()), ClusterSpec.parse("1x2")))
                .isZero();
    }
}
