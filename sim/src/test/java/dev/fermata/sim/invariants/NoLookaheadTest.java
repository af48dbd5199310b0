package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * With the estimator {@code history} nothing of the future reaches a decision: two scenarios that are the same up to a
 * moment have the same history up to then, whatever happens to jobs that have not ended.
 */
class NoLookaheadTest {
    private static final int SCENARIOS = 8;

    static Stream<String> policies() {
        return PolicyCatalogue.all().stream().map(PolicyInfo::name);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theFutureDoesNotChangeEarlierDecisions(String policy) {
        for (long seed = 1; seed <= SCENARIOS; seed++) {
            RandomScenario drawn = RandomScenario.simple(seed);
            RandomScenario scenario = drawn.withWorkload(drawn.workload());
            List<CheckedSimulation.CheckedRecord> first =
                    new CheckedSimulation(scenario, policy, CheckedSimulation.CycleChecker.NONE, false).run();
            long cutoffMillis = first.get(first.size() / 2).atMillis();
            RandomScenario other = scenario.withWorkload(
                    extendedAfter(cutoffMillis, scenario.workload(), endedBy(cutoffMillis, first)));
            List<CheckedSimulation.CheckedRecord> second =
                    new CheckedSimulation(other, policy, CheckedSimulation.CycleChecker.NONE, false).run();
            assertThat(before(cutoffMillis, second))
                    .as("seed %d, policy %s, before %d ms", seed, policy, cutoffMillis)
                    .isNotEmpty()
                    .isEqualTo(before(cutoffMillis, first));
            assertThat(second).as("seed %d: the scenarios differ", seed).isNotEqualTo(first);
        }
    }

    private static List<CheckedSimulation.CheckedRecord> before(
            long cutoffMillis, List<CheckedSimulation.CheckedRecord> history) {
        return history.stream().filter(entry -> entry.atMillis() < cutoffMillis).toList();
    }

    private static Set<Long> endedBy(long cutoffMillis, List<CheckedSimulation.CheckedRecord> history) {
        Set<Long> ended = new HashSet<>();
        for (CheckedSimulation.CheckedRecord entry : before(cutoffMillis, history)) {
            if (entry.record() instanceof HistoryRecord.AttemptEnded left
                    && left.next().isFinal()) {
                ended.add(left.jobId());
            }
        }
        return ended;
    }

    /** Every job that has not ended runs twice as long. */
    private static Workload extendedAfter(long cutoffMillis, Workload workload, Set<Long> ended) {
        return new Workload(
                workload.name(),
                workload.jobs().stream()
                        .map(j -> ended.contains(j.job().id())
                                ? j
                                : new SimulatedJob(
                                        j.job(),
                                        j.submitMillis() < cutoffMillis ? j.submitMillis() : j.submitMillis() + 1000,
                                        2 * j.durationMillis(),
                                        j.peakMemoryMib(),
                                        j.costs()))
                        .toList());
    }
}
