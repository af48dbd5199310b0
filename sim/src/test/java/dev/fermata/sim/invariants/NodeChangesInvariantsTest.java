package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The laws on clusters whose nodes are added, removed, changed, unreachable and used by others while jobs run. */
class NodeChangesInvariantsTest {
    private static final int SEEDS = 15;

    static Stream<String> catalogue() {
        return RecoveryInvariantsTest.catalogue();
    }

    @ParameterizedTest
    @MethodSource("catalogue")
    void aChangingClusterKeepsTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withNodeChanges();
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            long every = seed % 3 == 0 ? 20 + seed : Integer.MAX_VALUE;
            run(scenario, policy, checker, cycle -> cycle % every == every - 1);
            checker.checkEnd();
        }
    }

    /** As {@code --faults} has them: nodes fail, leave and are replaced, are out of reach and used by others, all at once. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void everyFaultOfTheSimulatorKeepsTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withEveryFault();
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            run(scenario, policy, checker, CheckedSimulation.RestartRule.NEVER);
            checker.checkEnd();
        }
    }

    private static void run(
            RandomScenario scenario,
            String policy,
            CheckedSimulation.CycleChecker checker,
            CheckedSimulation.RestartRule restarts) {
        try {
            new CheckedSimulation(scenario, policy, checker, false).run(restarts);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + scenario.seed() + ", policy " + policy + ": " + e, e);
        }
    }

    /** Replays every cycle in parallel, from the beginning and from snapshots. */
    private static final class ReplayChecker implements CheckedSimulation.CycleChecker {
        private final List<Scheduler> copies = new ArrayList<>();
        final Set<HistoryRecord.Type> types = EnumSet.noneOf(HistoryRecord.Type.class);
        private int cycles;

        ReplayChecker(RandomScenario scenario) {
            copies.add(replica(scenario.nodeChanges().beginning()));
        }

        private static Scheduler replica(Topology topology) {
            return new Scheduler(
                    topology, PolicySpec.parse("fifo").create(), (job, now) -> 1, GuardMode.FULL, true, true);
        }

        @Override
        public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
            for (HistoryRecord record : decision.records()) {
                types.add(record.type());
                copies.forEach(copy -> copy.replay(now, record));
            }
            SchedulerSnapshot live = scheduler.snapshot();
            for (Scheduler copy : copies) {
                assertThat(copy.snapshot()).as("after %s", decision.records()).isEqualTo(live);
            }
            if (cycles++ % 40 == 0) {
                Scheduler restored = replica(scheduler.view().topology());
                restored.restore(live);
                assertThat(restored.snapshot()).isEqualTo(live);
                copies.add(restored);
            }
        }
    }

    @Test
    void replayedRecordsGiveTheSameState() {
        Set<HistoryRecord.Type> types = EnumSet.noneOf(HistoryRecord.Type.class);
        for (String policy : List.of("fermata", "xion", "fifo")) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                RandomScenario scenario = RandomScenario.of(seed).withNodeChanges();
                ReplayChecker checker = new ReplayChecker(scenario);
                run(scenario, policy, checker, CheckedSimulation.RestartRule.NEVER);
                types.addAll(checker.types);
            }
        }
        assertThat(types)
                .contains(
                        HistoryRecord.Type.NODE_ADDED,
                        HistoryRecord.Type.NODE_REMOVED,
                        HistoryRecord.Type.NODE_CHANGED,
                        HistoryRecord.Type.REACHABILITY_CHANGED,
                        HistoryRecord.Type.FOREIGN_LOAD_CHANGED);
    }
}
