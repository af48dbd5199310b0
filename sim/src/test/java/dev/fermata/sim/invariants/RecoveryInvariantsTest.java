package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicyInfo;
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

/**
 * The cluster state is a function of its records: replaying them, or a snapshot and the records after it, gives the
 * same state.
 */
class RecoveryInvariantsTest {
    private static final int SEEDS = Integer.getInteger("fermata.seeds", 24);
    private static final int SNAPSHOT_EVERY = 23;

    static Stream<String> policies() {
        return Stream.of(
                "fifo",
                "srtf",
                "las:threshold=300,queues=4,ratio=3",
                "gandiva:lease=4m",
                "dally:lease=1m",
                "srtf:place=random,seed=4,share=3",
                "xion:share=2",
                "xonar:max-skip=2,slots=3,score=7",
                "jps:patience=3m,idle=false,jobs=4",
                "fitgpp:share=2,s=0,grace=limit",
                "fermata");
    }

    /** A scheduler that replays records; its policy never decides, so it may be another. */
    private static Scheduler replica(RandomScenario scenario) {
        return new Scheduler(
                scenario.topology(), PolicySpec.parse("fifo").create(), (job, now) -> 1, GuardMode.FULL, true, true);
    }

    /** Replays every cycle in parallel, from the beginning and from snapshots taken on the way. */
    private static final class ReplayChecker implements CheckedSimulation.CycleChecker {
        private final RandomScenario scenario;
        private final List<Scheduler> copies = new ArrayList<>();
        private final Set<HistoryRecord.Type> recordTypes = EnumSet.noneOf(HistoryRecord.Type.class);
        private int cycles;

        ReplayChecker(RandomScenario scenario) {
            this.scenario = scenario;
            copies.add(replica(scenario));
        }

        @Override
        public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
            for (HistoryRecord record : decision.records()) {
                recordTypes.add(record.type());
                copies.forEach(copy -> copy.replay(now, record));
            }
            SchedulerSnapshot live = scheduler.snapshot();
            for (Scheduler copy : copies) {
                assertThat(copy.snapshot()).as("after %s", decision.records()).isEqualTo(live);
            }
            if (cycles++ % SNAPSHOT_EVERY == 0) {
                Scheduler restored = replica(scenario);
                restored.restore(live);
                assertThat(restored.snapshot()).isEqualTo(live);
                copies.add(restored);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("policies")
    void replayedRecordsGiveTheSameState(String policy) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            replayed(policy, RandomScenario.of(seed));
        }
    }

    private static Set<HistoryRecord.Type> replayed(String policy, RandomScenario scenario) {
        ReplayChecker checker = new ReplayChecker(scenario);
        try {
            new CheckedSimulation(scenario, policy, checker, true)
                    .withFailingStarts(scenario.seed() % 4 == 0 ? 0.2 : 0)
                    .run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("seed " + scenario.seed() + ", policy " + policy + ": " + e, e);
        }
        return checker.recordTypes;
    }

    /** The law means something only if every type of record occurs. */
    @Test
    void everyRecordTypeIsReplayed() {
        Set<HistoryRecord.Type> seen = EnumSet.noneOf(HistoryRecord.Type.class);
        for (long seed = 1; seed <= SEEDS; seed++) {
            seen.addAll(replayed("gandiva:lease=1m", RandomScenario.of(seed)));
            seen.addAll(replayed("fermata", RandomScenario.of(seed)));
        }
        seen.addAll(replayed("fifo", RandomScenario.of(1).withMissingGpus()));
        for (long seed = SEEDS; !seen.contains(HistoryRecord.Type.RESERVATION_RELEASED) && seed < 1000; seed++) {
            seen.addAll(replayed("srtf", RandomScenario.of(seed))); // hardware seldom fails under a reservation
        }
        assertThat(seen)
                .containsAll(EnumSet.complementOf(EnumSet.of(
                        HistoryRecord.Type.QUEUES_SET,
                        HistoryRecord.Type.NODE_ADDED, // NodeChangesInvariantsTest
                        HistoryRecord.Type.NODE_REMOVED,
                        HistoryRecord.Type.NODE_CHANGED,
                        HistoryRecord.Type.REACHABILITY_CHANGED,
                        HistoryRecord.Type.FOREIGN_LOAD_CHANGED,
                        HistoryRecord.Type.SUSPEND_FAILED, // SuspensionInvariantsTest
                        HistoryRecord.Type.SUSPENSION_ENDED,
                        HistoryRecord.Type.PREEMPTION_DECLINED,
                        HistoryRecord.Type.PROFILED,
                        HistoryRecord.Type.ACTION_REJECTED)));
    }

    /** A job gets no GPU that is missing, under no policy; all others are used as before. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aClusterWithMissingGpusKeepsTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            RandomScenario scenario = RandomScenario.of(seed).withMissingGpus();
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            long every = 20 + seed % 11;
            try {
                new CheckedSimulation(scenario, policy, checker, false).run(cycle -> cycle % every == every - 1);
                checker.checkEnd();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
        }
    }

    /** Every second start fails, and schedulers die meanwhile: the laws hold, and every job ends. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void failedStartsKeepTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            long every = 20 + seed % 11;
            try {
                new CheckedSimulation(scenario, policy, checker, false)
                        .withFailingStarts(0.5)
                        .run(cycle -> cycle % every == every - 1);
                checker.checkEnd();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
        }
    }

    static Stream<String> catalogue() {
        return Stream.concat(PolicyCatalogue.all().stream().map(PolicyInfo::name), policies())
                .distinct();
    }

    /** The scheduler dies again and again; its successors keep the laws, and every job ends. */
    @ParameterizedTest
    @MethodSource("catalogue")
    void aRestartedSchedulerKeepsTheInvariants(String policy) {
        for (long seed = 1; seed <= SEEDS / 2; seed++) {
            RandomScenario scenario = RandomScenario.of(seed);
            InvariantChecker checker = new InvariantChecker(scenario, policy);
            long every = 3 + seed % 11;
            try {
                new CheckedSimulation(scenario, policy, checker, false).run(cycle -> cycle % every == every - 1);
                checker.checkEnd();
            } catch (RuntimeException | AssertionError e) {
                throw new AssertionError("seed " + seed + ", policy " + policy + ": " + e, e);
            }
        }
    }
}
