package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A reservation does not tie a job to its victims. Jobs 1 to 4 run; a gang of two preempts 1 and 2. */
class EarlyStartTest {
    private static final long GRACE_MILLIS = 60_000;

    private final Scheduler scheduler = scheduler(2, 2);

    private static Scheduler scheduler(int... nodes) {
        Topology.Builder builder = Topology.builder().rack();
        for (int gpus : nodes) {
            builder.node(GpuCatalogue.byName("V100"), gpus);
        }
        return scheduler(builder.build());
    }

    /** The lower its id, the longer a job runs; what waits is short. */
    private static Scheduler scheduler(Topology topology) {
        return new Scheduler(
                topology,
                PolicySpec.parse("srtf:place=first-fit").create(),
                (job, now) ->
                        job.job().id() > 4 ? 1 : 10_000_000 / (1 + job.job().id()),
                GuardMode.FULL,
                true);
    }

    private static Job job(long id, int gpus, String queue) {
        return Job.builder(id, gpus)
                .costs(new Costs(5_000, 0, 0, 0))
                .graceMillis(GRACE_MILLIS)
                .queue(queue)
                .build();
    }

    private static void occupy(Scheduler scheduler) {
        for (long id = 1; id <= 4; id++) {
            scheduler.runCycle(id, List.of(new Event.Submitted(job(id, 1, "q"))));
            scheduler.runCycle(id, List.of(new Event.Running(id, 1, 1_000_000)));
        }
    }

    private static Event attemptEnded(long id) {
        return new Event.AttemptEnded(id, 1, Outcome.COMPLETED, Usage.NONE);
    }

    private static Allocation place(Scheduler scheduler, long id) {
        return Objects.requireNonNull(Objects.requireNonNull(scheduler.job(id)).allocation());
    }

    private JobState state(long id) {
        return Objects.requireNonNull(scheduler.job(id)).state();
    }

    @Test
    void explainNamesTheVictimAndTheKillDeadline() {
        occupy(scheduler);
        scheduler.runCycle(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        PendingReason.PreemptionPending pendingReason =
                (PendingReason.PreemptionPending) Objects.requireNonNull(scheduler.explain(5));
        PendingReason.PreemptionPending.VacatingJob last = Objects.requireNonNull(pendingReason.last());
        assertThat(last.id()).isIn(1L, 2L);
        assertThat(last.killDeadlineMillis()).isEqualTo(1000 + GRACE_MILLIS);
        assertThat(pendingReason.message()).contains("by job " + last.id()).contains("before 61 s");
    }

    @Test
    void aReservedJobStartsOnTheFirstSuitableFreeGpus() {
        occupy(scheduler);
        scheduler.runCycle(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        scheduler.runCycle(2000, List.of(attemptEnded(3)));
        assertThat(state(5)).as("one is not enough").isEqualTo(JobState.PENDING);
        scheduler.runCycle(2001, List.of(attemptEnded(4), new Event.Submitted(job(6, 2, "q"))));
        assertThat(state(5)).isEqualTo(JobState.STARTING);
        assertThat(place(scheduler, 5).toArray()).containsExactly(2, 3);
        assertThat(state(1)).isEqualTo(JobState.PREEMPTING);
        assertThat(Objects.requireNonNull(scheduler.job(6)).hasReservation())
                .as("the next in the queue gets what is being vacated")
                .isTrue();
    }

    @Test
    void aReservedJobDoesNotTakeGpusFartherApart() {
        Scheduler apart = scheduler(2, 1, 1);
        occupy(apart);
        apart.runCycle(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        assertThat(place(apart, 5).nodeCount()).isEqualTo(1);
        apart.runCycle(2000, List.of(attemptEnded(3), attemptEnded(4)));
        assertThat(Objects.requireNonNull(apart.job(5)).hasReservation()).isTrue();
    }

    @Test
    void queueLimitsCountVacatingJobs() {
        scheduler.runCycle(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 4, 1)))));
        occupy(scheduler);
        scheduler.runCycle(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        scheduler.runCycle(7000, List.of(attemptEnded(3)));
        scheduler.runCycle(7001, List.of(new Event.Submitted(job(6, 1, "q"))));
        scheduler.runCycle(7002, List.of(attemptEnded(4)));
        assertThat(state(5)).as("1 and 2 still hold two of the four, 6 a third").isEqualTo(JobState.PENDING);
    }

    /** Of four, 1, 2 and 4 hold three, and one is kept for each of 5 and 6: with a fifth for 5 there would be too many. */
    @Test
    void theLimitOfAQueueCountsWhatIsKeptForItsOtherJobs() {
        scheduler.runCycle(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 4, 1)))));
        occupy(scheduler);
        scheduler.runCycle(1000, List.of(new Event.Submitted(job(5, 1, "q"))));
        scheduler.runCycle(1001, List.of(new Event.Submitted(job(6, 1, "q"))));
        scheduler.runCycle(2000, List.of(attemptEnded(3)));
        assertThat(reserved(scheduler, 5) && reserved(scheduler, 6)).isTrue();

        scheduler.runCycle(2001, List.of(attemptEnded(4)));
        assertThat(state(5)).as("without 4 there is room").isEqualTo(JobState.STARTING);
    }

    @Test
    void itDoesNotSettleForAsManyNodesOfMoreRacks() {
        Topology.Builder builder = Topology.builder();
        for (int nodes : new int[] {2, 1, 1}) {
            builder.rack();
            for (int n = 0; n < nodes; n++) {
                builder.node(GpuCatalogue.byName("V100"), 1);
            }
        }
        Scheduler apart = scheduler(builder.build());
        occupy(apart);
        apart.runCycle(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        assertThat(place(apart, 5).toArray()).as("one rack").containsExactly(0, 1);

        apart.runCycle(2000, List.of(attemptEnded(3), attemptEnded(4)));

        assertThat(reserved(apart, 5)).isTrue();
    }

    private static boolean reserved(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.job(id)).hasReservation();
    }
}
