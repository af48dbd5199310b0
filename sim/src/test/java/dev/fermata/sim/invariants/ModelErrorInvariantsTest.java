package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.measure.MetricsCollector;
import dev.fermata.core.model.Speed;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.sim.engine.ModelError;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.experiment.LowerBound;
import dev.fermata.sim.workload.Workload;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies that are wrong about the cluster keep the laws, and decide by nothing that they have not seen. */
class ModelErrorInvariantsTest {
    private static final int SEEDS = Math.min(12, Integer.getInteger("fermata.seeds", 12));

    static Stream<String> policies() {
        return Stream.concat(
                PolicyCatalogue.all().stream().map(PolicyInfo::name),
                Stream.of("fermata:pair=1", "srtf:share=2", "dally:lease=1m", "srtf:place=spread"));
    }

    private static List<CheckedSimulation.CheckedRecord> run(RandomScenario scenario, String policy, ModelError error) {
        return new CheckedSimulation(scenario, policy, CheckedSimulation.CycleChecker.NONE, false, error).run();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyPolicyKeepsTheInvariantsUnderModelErrors(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            List<CheckedSimulation.CheckedRecord> history;
            try {
                history = new CheckedSimulation(scenario, policy, checker, false, ModelError.MEASURED).run();
                checker.checkEnd();
            } catch (RuntimeException e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
            checkWorkConservation(scenario, policy, history);
            checkLowerBound(scenario, policy, history);
            assertThat(run(scenario, policy, ModelError.MEASURED))
                    .as("seed %d, policy %s, once more", seed, policy)
                    .isEqualTo(history);
        }
    }

    /** A job that completes in its first attempt has done its work: reported speeds times time. */
    private static void checkWorkConservation(
            RandomScenario scenario, String policy, List<CheckedSimulation.CheckedRecord> history) {
        Map<Long, long[]> work = new HashMap<>(); // done, speed, since
        for (CheckedSimulation.CheckedRecord entry : history) {
            long now = entry.atMillis();
            if (entry.record() instanceof HistoryRecord.Running running && running.attempt() == 1) {
                work.put(running.jobId(), new long[] {0, running.speedMicro(), now});
            } else if (entry.record() instanceof HistoryRecord.SpeedChanged changed && changed.attempt() == 1) {
                long[] job = work.get(changed.jobId());
                work.put(changed.jobId(), new long[] {job[0] + (now - job[2]) * job[1], changed.speedMicro(), now});
            } else if (entry.record() instanceof HistoryRecord.AttemptEnded ended
                    && ended.attempt() == 1
                    && ended.next() == JobState.COMPLETED) {
                long[] job = work.get(ended.jobId());
                long done = job[0] + (now - job[2]) * job[1];
                long needed = scenario.job(ended.jobId()).durationMillis() * Speed.UNIT;
                assertThat(done)
                        .as("work of job %d, seed %d, policy %s", ended.jobId(), scenario.seed(), policy)
                        .isBetween(needed, needed + job[1]);
            }
        }
    }

    private static void checkLowerBound(
            RandomScenario scenario, String policy, List<CheckedSimulation.CheckedRecord> history) {
        MetricsCollector metrics = new MetricsCollector(scenario.topology());
        Set<Long> rejected = new HashSet<>();
        for (CheckedSimulation.CheckedRecord entry : history) {
            metrics.accept(entry.atMillis(), entry.record());
            if (entry.record() instanceof HistoryRecord.JobRejected jobRejected) {
                rejected.add(jobRejected.jobId());
            }
        }
        assertThat(metrics.summary().gpuTime().isConserved()).isTrue();
        if (scenario.isCalm()) {
            Workload accepted = new Workload(
                    "accepted",
                    scenario.workload().jobs().stream()
                            .filter(j -> !rejected.contains(j.job().id()))
                            .toList());
            TrueModel model = new TrueModel(scenario.topology(), ModelError.MEASURED, scenario.seed());
            assertThat(LowerBound.meanJctSeconds(accepted, scenario.topology(), model))
                    .as("lower bound, seed %d, policy %s", scenario.seed(), policy)
                    .isLessThanOrEqualTo(metrics.summary().all().jct().mean() * (1 + 1e-9));
        }
    }

    /**
     * With and without errors a history is the same up to the first report of the engine that differs: nothing of the
     * true model reaches a decision before.
     */
    @ParameterizedTest
    @MethodSource("policies")
    void thePolicySeesTheTruthOnlyInReportsOfTheEngine(String policy) {
        int different = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            List<CheckedSimulation.CheckedRecord> predicted = run(scenario, policy, ModelError.NONE);
            List<CheckedSimulation.CheckedRecord> real = run(scenario, policy, ModelError.MEASURED);
            int i = 0;
            while (i < Math.min(predicted.size(), real.size())
                    && predicted.get(i).equals(real.get(i))) {
                i++;
            }
            if (i < Math.min(predicted.size(), real.size())) {
                different++;
                assertThat(isReport(predicted.get(i), real.get(i)))
                        .as("seed %d, policy %s: %s, %s", seed, policy, predicted.get(i), real.get(i))
                        .isTrue();
            }
        }
        assertThat(different).as("scenarios in which an error has an effect").isGreaterThan(SEEDS / 3);
    }

    /** Whether what happens first of the two is a report of the engine. */
    private static boolean isReport(CheckedSimulation.CheckedRecord one, CheckedSimulation.CheckedRecord other) {
        boolean oneFirst = one.atMillis() <= other.atMillis();
        boolean otherFirst = other.atMillis() <= one.atMillis();
        return (oneFirst && isReport(one.record())) || (otherFirst && isReport(other.record()));
    }

    private static boolean isReport(HistoryRecord record) {
        return switch (record.type()) {
            case RUNNING, SPEED_CHANGED, ATTEMPT_ENDED -> true;
            default -> false;
        };
    }

    @Test
    void errorsOfSizeZeroChangeNothing() {
        ModelError zero = new ModelError(0, 0, 0, 0, 0, 0);
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            assertThat(run(scenario, "fermata", zero))
                    .isEqualTo(new CheckedSimulation(scenario, "fermata", CheckedSimulation.CycleChecker.NONE, false)
                            .run());
        }
    }
}
