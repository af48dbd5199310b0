package dev.fermata.core.measure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Histories written by hand: what each pause comes to, and when that is known. */
class PausesFollowedTest {
    private static final Topology CLUSTER =
            Topology.builder().node(new GpuType("H100", 81_920, 1.0), 8).build();

    private final List<Preemption> closed = new ArrayList<>();
    private final List<Declined> over = new ArrayList<>();
    private final PreemptionLedger ledger = new PreemptionLedger(closed::add, over::add);
    private long number;

    private void at(long now, Fact... facts) {
        for (Fact fact : facts) {
            ledger.accept(++number, now, fact);
        }
    }

    private static Fact submitted(long id, int gpus) {
        return new Fact.Submitted(Job.builder(id, gpus).name("job-" + id).build());
    }

    private static Fact started(long id, int attempt, int... gpus) {
        return new Fact.Started(id, attempt, Allocation.of(CLUSTER, gpus, false), attempt > 1);
    }

    private static Fact running(long id, int attempt) {
        return new Fact.Running(id, attempt, Pace.UNIT);
    }

    private static Fact pausing(long id, int attempt, long beneficiary) {
        return new Fact.Pausing(id, attempt, beneficiary, 900, 300);
    }

    private static Fact promised(long id, int... gpus) {
        return new Fact.Promised(id, Allocation.of(CLUSTER, gpus, false));
    }

    private static Fact left(long id, int attempt, Outcome outcome, long load, long useful, long lost, long pause) {
        JobState next = outcome == Outcome.COMPLETED ? JobState.COMPLETED : JobState.PENDING;
        return new Fact.Left(id, attempt, outcome, new Usage(load, useful, lost, pause, 0, 0), next);
    }

    /** Jobs 1 (two GPUs) and 2 (one) run since 0; at 1,000 both are paused for job 3, which needs three. */
    private void twoPausedForAThird() {
        at(0, submitted(1, 2), started(1, 1, 0, 1), running(1, 1), submitted(2, 1), started(2, 1, 2), running(2, 1));
        at(1_000, submitted(3, 3), pausing(1, 1, 3), pausing(2, 1, 3), promised(3, 0, 1, 2));
        at(1_040, left(2, 1, Outcome.PAUSED, 0, 1_000, 0, 40));
        at(1_100, left(1, 1, Outcome.LOST, 0, 700, 300, 100), started(3, 1, 0, 1, 2));
    }

    @Test
    void gainAndCostAreKnownWhenAllVictimsHaveEnded() {
        twoPausedForAThird();
        assertThat(ledger.open()).hasSize(1);
        assertThat(ledger.open().get(0).balance()).isEqualTo(Preemption.Balance.OPEN);
        assertThat(ledger.open().get(0).startedMillis()).isEqualTo(1_100);
        at(1_150, running(3, 1));
        at(1_650, left(3, 1, Outcome.COMPLETED, 50, 500, 0, 0), started(1, 2, 0, 1), started(2, 2, 2));
        // processes run at once, and say only later that they have loaded
        at(1_660, running(1, 2), running(2, 2));
        assertThat(ledger.open().get(0).victims().get(0).awayMillis()).isEqualTo(660);
        at(2_650, left(1, 2, Outcome.COMPLETED, 200, 800, 0, 0));
        assertThat(closed).isEmpty();
        at(5_750, left(2, 2, Outcome.COMPLETED, 100, 4_000, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(ledger.open()).isEmpty();
        Preemption pause = closed.get(0);
        Preemption.Victim first = pause.victims().get(0);
        Preemption.Victim second = pause.victims().get(1);
        assertThat(first.awayMillis()).as("until it had loaded").isEqualTo(1_650 + 200 - 1_000);
        assertThat(first.remainingMillis())
                .as("800 ms, of which 300 were repeated")
                .isEqualTo(500);
        assertThat(first.reloadGpuMillis()).isEqualTo(400);
        assertThat(first.gpuMillis()).isEqualTo(2 * (100 + 300) + 400);
        assertThat(second.awayMillis()).isEqualTo(750);
        assertThat(second.remainingMillis()).isEqualTo(4_000);
        assertThat(pause.costMillis()).isEqualTo(850 + 300 + 750);
        assertThat(pause.gainMillis())
                .as("weighted by GPUs, less the 100 ms it waited")
                .isEqualTo(Math.round((500 * 2 + 4_000) / 3.0) - 100);
        assertThat(pause.loadMillis()).isEqualTo(50);
        assertThat(pause.balance()).isEqualTo(Preemption.Balance.NOT_PAID);
        assertThat(ledger.spent()).isEqualTo(new PreemptionLedger.Spent(2 * 100 + 40, 400 + 100, 600, 150, 0));
    }

    @Test
    void victimThatCompletesWhileItLeavesMakesRoomAllTheSame() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, submitted(2, 1), pausing(1, 1, 2), promised(2, 0));
        at(1_030, left(1, 1, Outcome.COMPLETED, 0, 1_000, 0, 30), started(2, 1, 0));
        at(1_500, left(2, 1, Outcome.COMPLETED, 0, 470, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).startedMillis()).isEqualTo(1_030);
        assertThat(closed.get(0).gainMillis()).isEqualTo(-30);
        assertThat(closed.get(0).costMillis()).isEqualTo(30);
    }

    @Test
    void promiseThatFallsThroughGainsNothing() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, submitted(2, 1), pausing(1, 1, 2), promised(2, 0));
        at(1_010, new Fact.Ended(2, JobState.CANCELLED), new Fact.Unpromised(2));
        at(1_040, left(1, 1, Outcome.PAUSED, 0, 1_000, 0, 40), started(1, 2, 0));
        at(1_050, running(1, 2));
        at(9_000, left(1, 2, Outcome.COMPLETED, 10, 7_950, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).startedMillis()).isEqualTo(-1);
        assertThat(closed.get(0).gainMillis()).isZero();
        assertThat(closed.get(0).costMillis()).isEqualTo(50);
    }

    @Test
    void secondPauseBelongsToAnotherDecision() {
        twoPausedForAThird();
        at(1_650, left(3, 1, Outcome.COMPLETED, 50, 500, 0, 0), started(1, 2, 0, 1), running(1, 2));
        at(2_000, submitted(4, 2), pausing(1, 2, 4), promised(4, 0, 1));
        at(2_010, left(1, 2, Outcome.PAUSED, 100, 250, 0, 10), started(4, 1, 0, 1));

        assertThat(ledger.open()).extracting(Preemption::beneficiary).containsExactly(3L, 4L);
        assertThat(ledger.open().get(0).victims().get(0).awayMillis()).isEqualTo(750);
        assertThat(ledger.open().get(1).victims().get(0).awayMillis()).isEqualTo(-1);
        assertThat(ledger.open().get(1).victims().get(0).pauseMillis()).isEqualTo(10);
    }

    @Test
    void moveIsNoPreemption() {
        at(0, submitted(1, 1), started(1, 1, 0), running(1, 1));
        at(1_000, pausing(1, 1, 1), promised(1, 5));
        at(1_040, left(1, 1, Outcome.PAUSED, 0, 1_000, 0, 40), started(1, 2, 5));
        at(1_050, running(1, 2));
        at(2_000, left(1, 2, Outcome.COMPLETED, 10, 950, 0, 0));

        assertThat(closed).hasSize(1);
        assertThat(closed.get(0).balance()).isEqualTo(Preemption.Balance.MOVED);
        assertThat(closed.get(0).gainMillis()).isZero();
    }

    @Test
    void declinedIsFollowedUntilTheWaitIsOver() {
        at(100, submitted(1, 2), submitted(2, 1));
        at(200, new Fact.Refrained(1, 3, 40, 50), new Fact.Refrained(2, 1, 7, 8));
        at(300, new Fact.Refrained(1, 2, 100, 150));
        assertThat(ledger.declined()).hasSize(3).allMatch(d -> d.waitedMillis() < 0);
        at(400, started(1, 1, 0, 1));
        at(500, new Fact.Ended(2, JobState.CANCELLED));

        assertThat(ledger.declined()).isEmpty();
        assertThat(over).extracting(Declined::waitedMillis).containsExactly(200L, 100L, 300L);
        assertThat(over).extracting(Declined::startedMillis).containsExactly(400L, 400L, -1L);
        assertThat(over).extracting(Declined::victims).containsExactly(3, 2, 1);
    }

    @Test
    void weighsOtherwiseWhenGainOrCostHasDoubled() {
        Fact.Refrained before = new Fact.Refrained(1, 1, 10_000, 50_000);

        assertThat(new Fact.Refrained(1, 1, 19_000, 90_000).weighsOtherwiseThan(before))
                .isFalse();
        assertThat(new Fact.Refrained(1, 1, 20_000, 50_000).weighsOtherwiseThan(before))
                .isTrue();
        assertThat(new Fact.Refrained(1, 1, 10_000, 25_000).weighsOtherwiseThan(before))
                .isTrue();
        assertThat(new Fact.Refrained(1, 1, 900, 10).weighsOtherwiseThan(new Fact.Refrained(1, 1, 10, 900)))
                .as("less than a second is the same")
                .isFalse();
    }
}
