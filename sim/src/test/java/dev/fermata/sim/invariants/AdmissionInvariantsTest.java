package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every policy of the catalogue keeps the laws behind admission gates that it does not know, and the laws of the gates.
 */
class AdmissionInvariantsTest {
    private static final int SEEDS = Integer.getInteger("fermata.seeds", 20);

    static Stream<String> policies() {
        return SchedulingInvariantsTest.policies();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void everyPolicyKeepsTheInvariantsUnderAdmission(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            checkInvariants(AdmissionScenario.of(seed), policy, cycle -> false);
            checkInvariants(AdmissionScenario.withSharesOnly(seed), policy, cycle -> false);
        }
    }

    /** Gates are derived from records: a restarted scheduler knows them all. */
    @ParameterizedTest
    @MethodSource("policies")
    void aRestartedSchedulerKeepsTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS / 4; seed++) {
            long every = 3 + seed % 11;
            RandomScenario scenario = AdmissionScenario.of(seed)
                    .withEstimator("oracle"); // an estimator without its history ranks jobs differently
            checkInvariants(scenario, policy, cycle -> cycle % every == every - 1);
        }
    }

    private static void checkInvariants(
            RandomScenario scenario, String policy, CheckedSimulation.RestartRule restartRule) {
        InvariantChecker invariants = new InvariantChecker(scenario, policy);
        AdmissionChecker admission = new AdmissionChecker(scenario, policy);
        try {
            new CheckedSimulation(
                            scenario,
                            policy,
                            (now, events, decision, scheduler) -> {
                                admission.checkCycle(now, events, decision, scheduler);
                                invariants.checkCycle(now, events, decision, scheduler);
                            },
                            false)
                    .run(restartRule);
            invariants.checkEnd();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + scenario.seed() + ", policy " + policy + ": " + e, e);
        }
    }

    /** The laws mean something only if gates close. */
    @Test
    void everyGateClosesInSomeScenario() {
        Set<String> reasons = new HashSet<>();
        Set<HistoryRecord.Type> types = EnumSet.noneOf(HistoryRecord.Type.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            List<CheckedSimulation.CheckedRecord> history = new CheckedSimulation(
                            AdmissionScenario.of(seed),
                            "sjf",
                            (now, events, decision, scheduler) -> scheduler
                                    .jobs()
                                    .forEach(job -> {
                                        if (scheduler.explain(job.id()) != null) {
                                            reasons.add(scheduler
                                                    .explain(job.id())
                                                    .code()
                                                    .name());
                                        }
                                    }),
                            false)
                    .run();
            history.forEach(entry -> types.add(entry.record().type()));
        }
        assertThat(reasons)
                .contains("HELD", "DEPENDENCY", "ARRAY_LIMIT", "PROFILE_PENDING", "QUEUE_LIMIT", "QUEUE_SHARE");
        assertThat(types)
                .as("sjf itself preempts no job: GPUs were reclaimed")
                .contains(HistoryRecord.Type.JOB_ENDED, HistoryRecord.Type.PREEMPTING, HistoryRecord.Type.PROFILED);
    }

    @ParameterizedTest
    @MethodSource("policies")
    void theSameSeedGivesTheSameHistory(String policy) {
        for (long seed = 1; seed <= SEEDS / 5; seed++) {
            List<CheckedSimulation.CheckedRecord> once = new CheckedSimulation(
                            AdmissionScenario.of(seed), policy, CheckedSimulation.CycleChecker.NONE, false)
                    .run();
            List<CheckedSimulation.CheckedRecord> again = new CheckedSimulation(
                            AdmissionScenario.of(seed), policy, CheckedSimulation.CycleChecker.NONE, false)
                    .run();
            assertThat(again).as("seed %d, policy %s", seed, policy).isEqualTo(once);
        }
    }
}
