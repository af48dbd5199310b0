package dev.fermata.core.cycle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
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

/** A promise does not tie a job to those who leave. Jobs 1 to 4 run; a gang of two has 1 and 2 paused. */
class SoonerTest {
    private static final long GRACE_MILLIS = 60_000;

    private final Scheduler scheduler = scheduler(2, 2);

    private static Scheduler scheduler(int... nodes) {
        Topology.Builder builder = Topology.builder().rack();
        for (int gpus : nodes) {
            builder.node(GpuCatalogue.named("V100"), gpus);
        }
        // the lower its id, the longer a job runs; what waits is short
        return new Scheduler(
                builder.build(),
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
            scheduler.step(id, List.of(new Event.Submitted(job(id, 1, "q"))));
            scheduler.step(id, List.of(new Event.Running(id, 1, 1_000_000)));
        }
    }

    private static Event ended(long id) {
        return new Event.Left(id, 1, Outcome.COMPLETED, Usage.NOTHING);
    }

    private static Allocation place(Scheduler scheduler, long id) {
        return Objects.requireNonNull(Objects.requireNonNull(scheduler.job(id)).allocation());
    }

    private JobState state(long id) {
        return Objects.requireNonNull(scheduler.job(id)).state();
    }

    @Test
    void explainSaysWhomItWaitsForAndUntilWhenAtMost() {
        occupy(scheduler);
        scheduler.step(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        Verdict verdict = Objects.requireNonNull(scheduler.explain(5));
        assertThat(verdict.reason()).isEqualTo(Reason.PREEMPTION_PENDING);
        assertThat(verdict.ahead()).isIn(1L, 2L);
        assertThat(verdict.untilMillis()).isEqualTo(1000 + GRACE_MILLIS);
        assertThat(verdict.message()).contains("by job " + verdict.ahead()).contains("before 61 s");
    }

    @Test
    void itStartsOnWhatComesFreeFirst() {
        occupy(scheduler);
        scheduler.step(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        scheduler.step(2000, List.of(ended(3)));
        assertThat(state(5)).as("one is not enough").isEqualTo(JobState.PENDING);
        scheduler.step(2001, List.of(ended(4), new Event.Submitted(job(6, 2, "q"))));
        assertThat(state(5)).isEqualTo(JobState.STARTING);
        assertThat(place(scheduler, 5).toArray()).containsExactly(2, 3);
        assertThat(state(1)).isEqualTo(JobState.PAUSING);
        assertThat(Objects.requireNonNull(scheduler.job(6)).promised())
                .as("the next in line gets what is being vacated")
                .isTrue();
    }

    @Test
    void itDoesNotSettleForGpusFartherApart() {
        Scheduler apart = scheduler(2, 1, 1);
        occupy(apart);
        apart.step(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        assertThat(place(apart, 5).nodeCount()).isEqualTo(1);
        apart.step(2000, List.of(ended(3), ended(4)));
        assertThat(Objects.requireNonNull(apart.job(5)).promised()).isTrue();
    }

    @Test
    void theLimitOfAQueueCountsThoseWhoLeave() {
        scheduler.step(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 4, 1)))));
        occupy(scheduler);
        scheduler.step(1000, List.of(new Event.Submitted(job(5, 2, "q"))));
        scheduler.step(7000, List.of(ended(3)));
        scheduler.step(7001, List.of(new Event.Submitted(job(6, 1, "q"))));
        scheduler.step(7002, List.of(ended(4)));
        assertThat(state(5)).as("1 and 2 still hold two of the four, 6 a third").isEqualTo(JobState.PENDING);
    }
}
