package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Policies that suspend jobs in place keep all laws, and those of suspension, whatever fails meanwhile. */
class SuspensionInvariantsTest {
    private static final int SEEDS = Integer.getInteger("fermata.seeds", 24);

    static Stream<String> policies() {
        return Stream.of(
                "xion:suspend=true",
                "xion:suspend=true,place=consolidate",
                "xion:suspend=true,share=2",
                "las:suspend=true,threshold=300,queues=4,ratio=3",
                "las:suspend=true,lease=1m,place=delay,patience=1m,relocate=false",
                "gandiva:suspend=true,lease=4m",
                "fitgpp:suspend=true",
                "fitgpp:suspend=true,share=2,P=3",
                "fermata",
                "fermata:trial=1,slowdown=1",
                "fermata:pair=1,slowdown=1,overdue=1");
    }

    /** Replays what the living scheduler records: the state is a function of the records. */
    private static final class Replica implements CheckedSimulation.CycleChecker {
        private final RandomScenario scenario;
        private final List<Scheduler> copies = new ArrayList<>();
        private int cycles;

        Replica(RandomScenario scenario) {
            this.scenario = scenario;
            copies.add(fresh());
        }

        private Scheduler fresh() {
            return new Scheduler(
                    scenario.topology(),
                    PolicySpec.parse("fifo").create(),
                    (job, now) -> 1,
                    GuardMode.FULL,
                    true,
                    true);
        }

        @Override
        public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
            for (HistoryRecord record : decision.records()) {
                copies.forEach(copy -> copy.replay(now, record));
            }
            SchedulerSnapshot live = scheduler.snapshot();
            for (Scheduler copy : copies) {
                assertThat(copy.snapshot()).as("after %s", decision.records()).isEqualTo(live);
            }
            if (cycles++ % 29 == 0) {
                Scheduler restored = fresh();
                restored.restore(live);
                assertThat(restored.snapshot()).isEqualTo(live);
                copies.add(restored);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void suspendedJobsKeepTheLaws(String policy) {
        int suspended = 0;
        int resumed = 0;
        int failed = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withSuspension();
            InvariantChecker all = new InvariantChecker(scenario, policy);
            SuspensionChecker own = new SuspensionChecker(scenario, policy);
            Replica replica = new Replica(scenario);
            long every = seed % 4 == 1 ? 5 + seed % 11 : Long.MAX_VALUE;
            try {
                new CheckedSimulation(
                                scenario,
                                policy,
                                (now, events, decision, scheduler) -> {
                                    all.checkCycle(now, events, decision, scheduler);
                                    own.checkCycle(now, events, decision, scheduler);
                                    replica.checkCycle(now, events, decision, scheduler);
                                },
                                true)
                        .withFailingStarts(seed % 3 == 0 ? 0.2 : 0)
                        .withFailingSuspends(seed % 2 == 0 ? 0.5 : 0)
                        .run(cycle -> cycle % every == every - 1);
                all.checkEnd();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
            suspended += own.suspended;
            resumed += own.resumed;
            failed += own.failed;
        }
        assertThat(suspended).as("suspensions under %s", policy).isPositive();
        assertThat(resumed).as("resumptions under %s", policy).isPositive();
        // a policy for few trials pauses few jobs
        assertThat(failed).as("failed suspensions under %s", policy).isGreaterThanOrEqualTo(suspended > 10 ? 1 : 0);
    }

    /** Without host memory for them no job is suspended, and the same policy saves instead. */
    @ParameterizedTest
    @MethodSource("policies")
    void withoutHostMemoryNoJobIsSuspended(String policy) {
        RandomScenario drawn = RandomScenario.of(3).withSuspension();
        RandomScenario none = new RandomScenario(
                drawn.seed(),
                drawn.topology().withSuspendMemoryMib(0),
                drawn.workload(),
                drawn.estimator(),
                drawn.faults(),
                drawn.cancels(),
                drawn.requests(),
                drawn.hostLimits());
        List<CheckedSimulation.CheckedRecord> history =
                new CheckedSimulation(none, policy, CheckedSimulation.CycleChecker.NONE, false).run();
        long holding = none.workload().jobs().stream()
                .filter(job -> job.job().costs().suspend().memoryMibPerGpu() == 0)
                .count();
        assertThat(history.stream()
                        .map(CheckedSimulation.CheckedRecord::record)
                        .filter(record -> record instanceof HistoryRecord.Preempting preempting
                                && preempting.way() == PreemptWay.SUSPEND
                                && none.job(record.jobId())
                                                .job()
                                                .costs()
                                                .suspend()
                                                .memoryMibPerGpu()
                                        > 0))
                .as("%s jobs would hold none", holding)
                .isEmpty();
    }
}
