package dev.fermata.core.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories written by hand: the result of each preemption, and when it is known. */
class PreemptionLogTest {
    private static final Topology CLUSTER =
            Topology.builder().node(new GpuType("H100", 81_920, 1.0), 8).build();

    private final List<PreemptionResult> closed = new ArrayList<>();
    private final List<DeclinedPreemption> over = new ArrayList<>();
    private final PreemptionLog log = new PreemptionLog(closed::add, over::add);
    private long number;

    private void at(long now, HistoryRecord... records) {
        for (HistoryRecord historyRecord : records) {
            log.accept(++number, now, historyRecord);
        }
    }

    private static HistoryRecord submitted(long id, int gpus) {
        return new HistoryRecord.Submitted(
                Job.builder(id, gpus).name("job-" + id).build());
    }

    private static HistoryRecord started(long id, int attempt, int... gpus) {
        return new HistoryRecord.Started(id, attempt, Allocation.of(CLUSTER, gpus, false), attempt > 1);
    }

    private static HistoryRecord running(long id, int attempt) {
        return new HistoryRecord.Running(id, attempt, Speed.UNIT);
    }

    private static HistoryRecord preempting(long id, int attempt, long beneficiary) {
        return new HistoryRecord.Preempting(id, attempt, beneficiary, 900, 300);
    }

    private static HistoryRecord reserved(long id, int... gpus) {
        return new HistoryRecord.Reserved(id, Allocation.of(CLUSTER, gpus, false));
    }

    private static HistoryRecord attemptEnded(
            long id, int attempt, Outcome outcome, long load, long useful, long lost, long victim) {
        JobState next = outcome == Outcome.COMPLETED ? JobState.COMPLETED : JobState.PENDING;
        return new HistoryRecord.AttemptEnded(id, attempt, outcome, new Usage(load, useful, lost, victim, 0, 0), next);
    }

    /** Jobs 1 (two GPUs) and 2 (one) run since 0; at 1,000 both are preempted for job 3, which needs three. */
    private void preemptTwoForAThird() {
        at(0, submitted(1, 2), started(1, 1, 0, 1), running(1, 1), submitted(2, 1), started(2, 1, 2), running(2, 1));
        at(1_000, submitted(3, 3), preempting(1, 1, 3), preempting(2, 1, 3), reserved(3, 0, 1, 2));
        at(1_040, attemptEnded(2, 1, Outcome.PREEMPTED, 0, 1_000, 0, 40));
        at(1_100, attemptEnded(1, 1, Outcome.LOST, 0, 700, 300, 100), started(3, 1, 0, 1, 2));
    }

    @Test
    void gainAndCostAreKnownWhenAllVictimsHaveEnded() {
        preemptTwoForAThird();
        assertThat(log.openPreemptions()).hasSize(1);
        assertThat(log.openPreemptions().get(0).balance()).isEqualTo(PreemptionResult.Balance.OPEN);
        assertThat(log.openPreemptions().get(0).startedMillis()).isEqualTo(1_100);
        at(1_150, running(3, 1));
        at(1_650, attemptEnded(3, 1, Outcome.COMPLETED, 50, 500, 0, 0), started(1, 2, 0, 1), started(2, 2, 2));
        // processes run at once, and report only later that they have loaded
        at(1_660, running(1, 2), running(2, 2));
        assertThat(log.openPreemptions().get(0).victims().get(0).awayMillis()).isEqualTo(660);
        at(2_650, attemptEnded(1, 2, Outcome.COMPLETED, 200, 800, 0, 0));
        assertThat(closed).isEmpty();
        at(5_750, attemptEnded(2, 2, Outcome.COMPLETED, 100, 4_000, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(log.openPreemptions()).isEmpty();
        PreemptionResult victim = closed.get(0);
        PreemptionResult.VictimResult first = victim.victims().get(0);
        PreemptionResult.VictimResult second = victim.victims().get(1);
        assertThat(first.awayMillis()).as("until it had loaded").isEqualTo(1_650 + 200 - 1_000);
        assertThat(first.remainingMillis())
                .as("800 ms, of which 300 were repeated")
                .isEqualTo(500);
        assertThat(first.reloadGpuMillis()).isEqualTo(400);
        assertThat(first.gpuMillis()).isEqualTo(2 * (100 + 300) + 400);
        assertThat(second.awayMillis()).isEqualTo(750);
        assertThat(second.remainingMillis()).isEqualTo(4_000);
        assertThat(victim.costMillis()).isEqualTo(850 + 300 + 750);
        assertThat(victim.gainMillis())
                .as("weighted by GPUs, less the 100 ms it waited")
                .isEqualTo(Math.round((500 * 2 + 4_000) / 3.0) - 100);
        assertThat(victim.loadMillis()).isEqualTo(50);
        assertThat(victim.balance()).isEqualTo(PreemptionResult.Balance.NOT_PAID);
        assertThat(log.overhead())
                .isEqualTo(new PreemptionLog.PreemptionOverhead(2 * 100 + 40, 400 + 100, 600, 150, 0));
    }

    @Test
    void aVictimThatCompletesWhileVacatingStillCounts() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, submitted(2, 1), preempting(1, 1, 2), reserved(2, 0));
        at(1_030, attemptEnded(1, 1, Outcome.COMPLETED, 0, 1_000, 0, 30), started(2, 1, 0));
        at(1_500, attemptEnded(2, 1, Outcome.COMPLETED, 0, 470, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).startedMillis()).isEqualTo(1_030);
        assertThat(closed.get(0).gainMillis()).isEqualTo(-30);
        assertThat(closed.get(0).costMillis()).isEqualTo(30);
    }

    @Test
    void aReleasedReservationGainsNothing() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, submitted(2, 1), preempting(1, 1, 2), reserved(2, 0));
        at(1_010, new HistoryRecord.JobEnded(2, JobState.CANCELLED), new HistoryRecord.ReservationReleased(2));
        at(1_040, attemptEnded(1, 1, Outcome.PREEMPTED, 0, 1_000, 0, 40), started(1, 2, 0));
        at(1_050, running(1, 2));
        at(9_000, attemptEnded(1, 2, Outcome.COMPLETED, 10, 7_950, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).startedMillis()).isEqualTo(-1);
        assertThat(closed.get(0).gainMillis()).isZero();
        assertThat(closed.get(0).costMillis()).isEqualTo(50);
    }

    @Test
    void aSecondPreemptionBelongsToAnotherDecision() {
        preemptTwoForAThird();
        at(1_650, attemptEnded(3, 1, Outcome.COMPLETED, 50, 500, 0, 0), started(1, 2, 0, 1), running(1, 2));
        at(2_000, submitted(4, 2), preempting(1, 2, 4), reserved(4, 0, 1));
        at(2_010, attemptEnded(1, 2, Outcome.PREEMPTED, 100, 250, 0, 10), started(4, 1, 0, 1));

        assertThat(log.openPreemptions())
                .extracting(PreemptionResult::beneficiary)
                .containsExactly(3L, 4L);
        assertThat(log.openPreemptions().get(0).victims().get(0).awayMillis()).isEqualTo(750);
        assertThat(log.openPreemptions().get(1).victims().get(0).awayMillis()).isEqualTo(-1);
        assertThat(log.openPreemptions().get(1).victims().get(0).preemptMillis())
                .isEqualTo(10);
    }

    @Test
    void aMoveIsNoPreemption() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, preempting(1, 1, 1), reserved(1, 5));
        at(1_040, attemptEnded(1, 1, Outcome.PREEMPTED, 0, 1_000, 0, 40), started(1, 2, 5));
        at(1_050, running(1, 2));
        at(2_000, attemptEnded(1, 2, Outcome.COMPLETED, 10, 950, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).balance()).isEqualTo(PreemptionResult.Balance.MOVED);
        assertThat(closed.get(0).gainMillis()).isZero();
    }

    @Test
    void aDeclinedPreemptionIsTrackedUntilTheWaitEnds() {
        at(100, submitted(1, 2), submitted(2, 1));
        at(200, new HistoryRecord.PreemptionDeclined(1, 3, 40, 50), new HistoryRecord.PreemptionDeclined(2, 1, 7, 8));
        at(300, new HistoryRecord.PreemptionDeclined(1, 2, 100, 150));
        assertThat(log.declined()).hasSize(3).allMatch(d -> d.waitedMillis() < 0);
        at(400, started(1, 1, 0, 1));
        at(500, new HistoryRecord.JobEnded(2, JobState.CANCELLED));

        assertThat(log.declined()).isEmpty();
        assertThat(over).extracting(DeclinedPreemption::waitedMillis).containsExactly(200L, 100L, 300L);
        assertThat(over).extracting(DeclinedPreemption::startedMillis).containsExactly(400L, 400L, -1L);
        assertThat(over).extracting(DeclinedPreemption::victims).containsExactly(3, 2, 1);
    }

    @Test
    void aDeclineDiffersMateriallyWhenGainOrCostHasDoubled() {
        HistoryRecord.PreemptionDeclined before = new HistoryRecord.PreemptionDeclined(1, 1, 10_000, 50_000);

        assertThat(new HistoryRecord.PreemptionDeclined(1, 1, 19_000, 90_000).differsMaterially(before))
                .isFalse();
        assertThat(new HistoryRecord.PreemptionDeclined(1, 1, 20_000, 50_000).differsMaterially(before))
                .isTrue();
        assertThat(new HistoryRecord.PreemptionDeclined(1, 1, 10_000, 25_000).differsMaterially(before))
                .isTrue();
        assertThat(new HistoryRecord.PreemptionDeclined(1, 1, 900, 10)
                        .differsMaterially(new HistoryRecord.PreemptionDeclined(1, 1, 10, 900)))
                .as("less than a second is the same")
                .isFalse();
    }
}
