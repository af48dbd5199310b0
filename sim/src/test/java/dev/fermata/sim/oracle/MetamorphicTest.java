package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Costs;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Scenarios changed in ways whose effect is known. */
class MetamorphicTest {
    private static final int SEEDS = 20;

    /** When each job ended, by id. */
    private static Map<Long, Long> ends(TestSimulation simulation) {
        Map<Long, Long> ends = new TreeMap<>();
        for (TestSimulation.SimulatedRecord entry : simulation.history()) {
            if (entry.record() instanceof HistoryRecord.AttemptEnded left
                    && left.next().isFinal()) {
                ends.put(left.jobId(), entry.atMillis());
            }
        }
        return ends;
    }

    private static TestSimulation simulate(String cluster, String policy, Workload workload) {
        TestSimulation simulation = TestSimulation.on(cluster, policy);
        workload.jobs().forEach(simulation::job);
        return simulation.run();
    }

    private static Workload jobs(String text, long seed) {
        return WorkloadSpec.generate(text, ClusterSpec.parse("2x4"), seed);
    }

    private static Workload slowed(Workload workload, int factor) {
        return new Workload(
                "slowed",
                workload.jobs().stream()
                        .map(j -> {
                            Costs costs = j.costs().scaled(factor);
                            return new SimulatedJob(
                                    j.job().withCosts(costs),
                                    j.submitMillis() * factor,
                                    j.durationMillis() * factor,
                                    j.peakMemoryMib(),
                                    costs);
                        })
                        .toList());
    }

    @ParameterizedTest
    @ValueSource(strings = {"fifo", "fifo-backfill", "sjf", "srtf", "srsf", "xion", "xion:service=true,crowd=3"})
    void scalingAllTimesByThreeScalesAllResultsByThree(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            // preemptions stay within the grace period, which is not scaled
            Workload workload = jobs("xion:jobs=60,load=1.1", seed).withCosts(c -> c.scaled(0.5));
            Map<Long, Long> before = ends(simulate("2x4", policy, workload));
            Map<Long, Long> after = ends(simulate("2x4", policy, slowed(workload, 3)));
            before.replaceAll((id, end) -> end * 3);
            assertThat(after).as("%s, seed %d", policy, seed).isEqualTo(before);
        }
    }

    @Test
    void underFifoNoJobEndsLaterOnAFasterCluster() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Workload workload = jobs("xion:jobs=60,load=1.2", seed).withCosts(c -> Costs.NONE);
            Map<Long, Long> slow = ends(simulate("2x4:P100", "fifo", workload));
            Map<Long, Long> fast = ends(simulate("2x4:V100", "fifo", workload));
            slow.forEach((id, end) -> assertThat(fast.get(id)).isLessThanOrEqualTo(end));
        }
    }

    /** With free preemptions and one GPU per job, Xion compares remaining times, as SRTF does. */
    @Test
    void withFreePreemptionsXionEqualsSrtfForSingleVictims() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            Workload gangs = jobs("xion:jobs=80,load=12", seed).withCosts(c -> Costs.NONE);
            Workload singles = new Workload(
                    "singles",
                    gangs.jobs().stream()
                            .filter(j -> j.job().demand().maxGpus() == 1)
                            .toList());
            TestSimulation srtf = simulate("2x4", "srtf", singles);
            TestSimulation xion = simulate("2x4", "xion", singles);
            assertThat(preemptions(srtf)).isPositive();
            assertThat(preemptions(xion)).isEqualTo(preemptions(srtf));
            assertThat(ends(xion)).as("seed %d", seed).isEqualTo(ends(srtf));
        }
    }

    private static long preemptions(TestSimulation simulation) {
        return simulation.history().stream()
                .filter(l -> l.record() instanceof HistoryRecord.Preempting)
                .count();
    }

    @Test
    void xionPreemptsLessWhenPreemptionsCostMore() {
        List<Double> scales = List.of(0.0, 1.0, 4.0, 16.0);
        long before = Long.MAX_VALUE;
        for (double scale : scales) {
            long preemptions = 0;
            for (long seed = 1; seed <= SEEDS; seed++) {
                preemptions += preemptions(
                        simulate("2x4", "xion", jobs("xion:jobs=60", seed).withCosts(c -> c.scaled(scale))));
            }
            assertThat(preemptions).as("costs x%s", scale).isLessThan(before);
            before = preemptions;
        }
    }

    /** A preemption pays only if the beneficiary gets the GPUs: it starts on them, or earlier on others. */
    @ParameterizedTest
    @ValueSource(strings = {"xion", "fermata"})
    void aBeneficiaryStartsOnTheFreedGpusOrSooner(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            TestSimulation simulation = simulate("2x4", policy, jobs("xion:jobs=60,load=1.3", seed));
            Map<Long, HistoryRecord.Reserved> reserved = new TreeMap<>();
            Map<Long, Long> released = new TreeMap<>();
            for (TestSimulation.SimulatedRecord entry : simulation.history()) {
                long id = entry.record().jobId();
                if (entry.record() instanceof HistoryRecord.Reserved reservation) {
                    reserved.put(id, reservation);
                } else if (entry.record() instanceof HistoryRecord.Started started && reserved.containsKey(id)) {
                    assertThat(started.allocation())
                            .isEqualTo(reserved.remove(id).allocation());
                } else if (entry.record() instanceof HistoryRecord.Started && released.containsKey(id)) {
                    assertThat(entry.atMillis()).isEqualTo(released.remove(id));
                } else if (entry.record() instanceof HistoryRecord.ReservationReleased) {
                    reserved.remove(id);
                    released.put(id, entry.atMillis());
                }
            }
            assertThat(reserved).isEmpty();
            assertThat(released).isEmpty();
        }
    }
}
