package dev.fermata.sim.xonar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.WorkloadSpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class XonarTest {
    private static final String UNGUARDED = "fifo:share=2,guard=false";

    private static Topology cluster(int nodes, int memoryMib) {
        Topology.Builder builder = Topology.builder();
        for (int n = 0; n < nodes; n++) {
            builder.node(new GpuType("V100", memoryMib, 1.0), 2);
        }
        return builder.build();
    }

    /** The queue is drawn for 32,000 MiB, whatever the GPUs have on which it then runs. */
    private static TestSimulation simulate(String policy, Topology topology, String workload, long seed) {
        TestSimulation simulation = TestSimulation.on(topology, policy);
        WorkloadSpec.generate(workload, cluster(1, 32_000), seed).jobs().forEach(simulation::job);
        return simulation.run();
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "2", "3", "4", "5", "6", "7", "8", "new"})
    void noScoreEverRunsOutOfMemoryOrLosesAJob(String score) {
        for (long seed = 1; seed <= 5; seed++) {
            TestSimulation simulation =
                    simulate("xonar:score=" + score, cluster(2, 32_000), "xonar:jobs=60,gap=20", seed);

            assertThat(simulation.metrics().summary().oomFailures()).isZero();
            assertThat(simulation.metrics().summary().all().completed()).isEqualTo(60);
        }
    }

    /** Score 5 is 0 for every pair, so ties are broken by arrival: it is first fit in order of arrival. */
    @Test
    void aConstantScoreKeepsArrivalOrderAmongFittingJobs() {
        TestSimulation simulation = simulate("xonar:score=5", cluster(1, 1_000_000), "xonar:jobs=30", 3);

        List<Long> started = simulation.history().stream()
                .map(TestSimulation.SimulatedRecord::record)
                .filter(HistoryRecord.Started.class::isInstance)
                .map(HistoryRecord::jobId)
                .toList();
        assertThat(started).isSorted();
    }

    @Test
    void withoutTheMemoryGuardJobsCrash() {
        TestSimulation simulation = simulate("xonar:guard=false", cluster(1, 32_000), "xonar:jobs=60", 1);

        assertThat(simulation.metrics().summary().oomFailures()).isPositive();
    }

    @Test
    void oneSlotIsOneJobAtATime() {
        TestSimulation xonar = simulate("xonar:slots=1", cluster(1, 32_000), "xonar:", 1);
        TestSimulation fifo = simulate("fifo", cluster(1, 32_000), "xonar:", 1);

        assertThat(xonar.metrics().summary().makespanSeconds())
                .isEqualTo(fifo.metrics().summary().makespanSeconds());
    }

    @Test
    void withoutSkippingItIsFifoWithTheGuard() {
        for (long seed = 1; seed <= 10; seed++) {
            TestSimulation xonar = simulate("xonar:max-skip=0", cluster(1, 32_000), "xonar:jobs=30,gap=40", seed);
            TestSimulation fifo = simulate("fifo:share=2", cluster(1, 32_000), "xonar:jobs=30,gap=40", seed);

            assertThat(xonar.history()).as("seed %d", seed).isEqualTo(fifo.history());
        }
    }

    @Test
    void aWindowOfOneIsFifoWithTheGuard() {
        TestSimulation xonar = simulate("xonar:look=1", cluster(1, 32_000), "xonar:jobs=30,gap=40", 1);
        TestSimulation fifo = simulate("fifo:share=2", cluster(1, 32_000), "xonar:jobs=30,gap=40", 1);

        assertThat(xonar.history()).isEqualTo(fifo.history());
    }

    /** Until the first crash memory changes nothing, so with more of it the first crash never comes earlier. */
    @Test
    void moreMemoryNeverCausesAnOutOfMemory() {
        for (long seed = 1; seed <= 20; seed++) {
            long first = 0;
            for (int memory = 32_000; memory <= 64_000; memory += 4_000) {
                long crash = firstCrashMillis(simulate(UNGUARDED, cluster(1, memory), "xonar:jobs=20", seed));

                assertThat(crash).as("seed %d, %d MiB", seed, memory).isGreaterThanOrEqualTo(first);
                first = crash;
                for (String guarded : List.of("fifo:share=2", "xonar")) {
                    assertThat(simulate(guarded, cluster(1, memory), "xonar:jobs=20", seed)
                                    .metrics()
                                    .summary()
                                    .oomFailures())
                            .as("%s, seed %d, %d MiB", guarded, seed, memory)
                            .isZero();
                }
            }
            assertThat(first).as("two of any job fit into 64,000 MiB").isEqualTo(Long.MAX_VALUE);
        }
    }

    private static long firstCrashMillis(TestSimulation simulation) {
        return simulation.history().stream()
                .filter(entry ->
                        entry.record() instanceof HistoryRecord.AttemptEnded left && left.outcome() == Outcome.OOM)
                .mapToLong(TestSimulation.SimulatedRecord::atMillis)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** Every crash costs a boot, and nothing is kept of it. */
    @Test
    void aCrashIsChargedWithItsBoot() {
        TestSimulation simulation = simulate(UNGUARDED, cluster(1, 32_000), "xonar:jobs=40", 2);

        long crashes = simulation.history().stream()
                .filter(entry ->
                        entry.record() instanceof HistoryRecord.AttemptEnded left && left.outcome() == Outcome.OOM)
                .peek(entry -> assertThat(((HistoryRecord.AttemptEnded) entry.record())
                                .usage()
                                .savedWorkMillis())
                        .isZero())
                .count();
        assertThat(crashes).isPositive();
        assertThat(simulation.metrics().summary().gpuTime().overhead()).isEqualTo((40 + crashes) * 25_000 * 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"score=9", "slots=0", "max-skip=-1", "look=0", "guard=maybe", "skip=3"})
    void anInvalidParameterIsReported(String parameter) {
        assertThatThrownBy(() -> PolicySpec.parse("xonar:" + parameter))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(parameter.substring(0, parameter.indexOf('=')));
    }
}
