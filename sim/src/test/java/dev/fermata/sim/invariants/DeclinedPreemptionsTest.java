package dev.fermata.sim.invariants;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A declined preemption is in the history: the first of every wait, and later ones only if they differ materially. */
class DeclinedPreemptionsTest {
    private static final int SEEDS = 25;
    private static final long MINUTE_MILLIS = 60_000;

    /** Checks every decline. */
    /** How many times {@code fermata} counts what a trial loses. */
    private static final long TRIAL_WEIGHT = 10;

    private static final class DeclineChecker implements CheckedSimulation.CycleChecker {
        private record RecordedDecline(long atMillis, HistoryRecord.PreemptionDeclined record) {}

        private final Map<Long, RecordedDecline> last = new HashMap<>();
        private final long maxRatio;
        private int recordCount;

        /** @param maxRatio the gain is at most this many times the cost: what a trial would pay may count more than is stated */
        DeclineChecker(long maxRatio) {
            this.maxRatio = maxRatio;
        }

        @Override
        public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
            for (HistoryRecord record : decision.records()) {
                if (record instanceof HistoryRecord.PreemptionDeclined declined) {
                    onDeclined(now, declined);
                } else if (record instanceof HistoryRecord.Started || record instanceof HistoryRecord.JobEnded) {
                    last.remove(record.jobId());
                }
            }
            for (PendingReason pendingReason : decision.pendingReasons()) {
                JobView job = scheduler.job(pendingReason.jobId());
                boolean pending = job != null && job.state() == JobState.PENDING && !job.hasReservation();
                if (pendingReason.code() == ReasonCode.PREEMPTION_NOT_WORTH_IT && pending) {
                    assertThat(last)
                            .as("declined, but not recorded: %s", pendingReason)
                            .containsKey(pendingReason.jobId());
                }
            }
        }

        private void onDeclined(long now, HistoryRecord.PreemptionDeclined record) {
            recordCount++;
            assertThat(record.victims()).isPositive();
            assertThat(record.gainMillis()).isLessThanOrEqualTo(maxRatio * record.costMillis());
            RecordedDecline before = last.put(record.jobId(), new RecordedDecline(now, record));
            if (before != null) {
                assertThat(now - before.atMillis)
                        .as("%s after %s", record, before)
                        .isGreaterThanOrEqualTo(MINUTE_MILLIS);
                assertThat(record.differsMaterially(before.record))
                        .as("%s after %s", record, before)
                        .isTrue();
            }
        }
    }

    /** @param every the scheduler dies and is rebuilt after so many cycles: no record is repeated */
    @ParameterizedTest
    @CsvSource({"xion,0", "xion,7", "fermata,0", "fermata,5"})
    void aDeclineIsRecordedOnceUnlessItDiffersMaterially(String policy, int every) {
        int recordCount = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            DeclineChecker checker = new DeclineChecker(policy.equals("fermata") ? TRIAL_WEIGHT : 2);
            new CheckedSimulation(RandomScenario.of(seed), policy, checker, false)
                    .run(cycle -> every > 0 && cycle % every == every - 1);
            recordCount += checker.recordCount;
        }
        assertThat(recordCount).isGreaterThan(SEEDS);
    }
}
