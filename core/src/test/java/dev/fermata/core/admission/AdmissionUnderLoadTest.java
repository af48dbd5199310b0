package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Gates under load: long chains, rejected actions, large jobs in front of small ones. */
class AdmissionUnderLoadTest {
    private static final int CHAIN = 300;

    private static final Topology FOUR =
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 4).build();

    /** A policy whose action the guard always rejects. */
    private static final class MisbehavingPolicy implements Policy {
        @Override
        public Plan decide(View view) {
            Allocation gpu = Allocation.of(view.topology(), new int[] {0}, false);
            return new Plan(List.of(new Action.Start(1_000_000, gpu)), List.of(), Plan.NEVER);
        }

        @Override
        public PendingReason explain(View view, JobView job) {
            return new PendingReason.Priority(job.id(), 1, 0, 0);
        }
    }

    private static Scheduler scheduler(Policy policy) {
        return new Scheduler(FOUR, policy, (job, now) -> 1000, GuardMode.FULL, true);
    }

    private static Event submitted(long id, int gpus, String queue) {
        return new Event.Submitted(Job.builder(id, gpus).queue(queue).build());
    }

    private static List<Event> chain() {
        List<Event> events = new ArrayList<>();
        events.add(new Event.Submitted(Job.builder(1, 1).build()));
        for (long id = 2; id <= CHAIN; id++) {
            events.add(new Event.Submitted(Job.builder(id, 1)
                    .dependencies(List.of(new Dependency(id - 1, Dependency.Condition.SUCCESS)))
                    .build()));
        }
        return events;
    }

    private static JobState state(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.job(id)).state();
    }

    @Test
    void aLongDependencyChainEndsInTheCycleInWhichItsFirstJobFails() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        scheduler.runCycle(0, chain());
        scheduler.runCycle(1, List.of(new Event.Running(1, 1, 1_000_000)));
        scheduler.runCycle(2, List.of(new Event.AttemptEnded(1, 1, Outcome.FAILED, Usage.NONE)));
        assertThat(scheduler.jobs()).isEmpty();
    }

    @Test
    void aDependencyChainEndsInOneCycleWhateverElseIsRejected() {
        Scheduler scheduler = scheduler(new MisbehavingPolicy());
        scheduler.runCycle(0, chain());
        scheduler.runCycle(1, List.of(new Event.CancelRequested(1)));
        assertThat(scheduler.jobs()).isEmpty();
    }

    @Test
    void aJobThatDependsOnAFailureRunsWhenTheChainIsCancelled() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        List<Event> events = chain();
        events.add(new Event.Submitted(Job.builder(CHAIN + 1, 1)
                .dependencies(List.of(new Dependency(CHAIN, Dependency.Condition.FAILURE)))
                .build()));
        scheduler.runCycle(0, events);
        scheduler.runCycle(1, List.of(new Event.CancelRequested(1)));
        scheduler.runCycle(2, List.of(new Event.AttemptEnded(1, 1, Outcome.PREEMPTED, Usage.NONE)));
        assertThat(scheduler.jobs()).hasSize(1);
        assertThat(state(scheduler, CHAIN + 1)).isNotEqualTo(JobState.PENDING);
    }

    @Test
    void aLargeJobDoesNotKeepTheNextJobFromItsGuarantee() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        scheduler.runCycle(0, List.of(new Event.QueuesSet(List.of(new QueueRule("owed", 2, QueueRule.NO_LIMIT, 1)))));
        for (long id = 1; id <= 4; id++) {
            scheduler.runCycle(id, List.of(submitted(id, 1, "other")));
            scheduler.runCycle(id, List.of(new Event.Running(id, 1, 1_000_000)));
        }
        scheduler.runCycle(1000, List.of(submitted(5, 4, "owed"))); // more than is guaranteed
        scheduler.runCycle(1001, List.of(submitted(6, 1, "owed")));
        assertThat(Objects.requireNonNull(scheduler.job(6)).hasReservation()).isTrue();
        assertThat(Objects.requireNonNull(scheduler.job(5)).hasReservation()).isFalse();
    }

    /**
     * A job that never ends keeps one GPU, so the gangs of a and b wait. From 600 s to 1200 s queue a is protected, without
     * effect. Then the jobs of others start for as long as that lasted, and only after that b is protected.
     */
    @Test
    void afterAUselessProtectionNoQueueIsProtectedForAsLong() {
        Scheduler scheduler = scheduler(PolicySpec.parse("sjf").create());
        List<QueueRule> rules = List.of(
                new QueueRule("a", 0, QueueRule.NO_LIMIT, 1),
                new QueueRule("b", 0, QueueRule.NO_LIMIT, 1),
                new QueueRule("c", 0, QueueRule.NO_LIMIT, 1));
        scheduler.runCycle(0, List.of(new Event.QueuesSet(rules), submitted(1, 1, "c")));
        scheduler.runCycle(0, List.of(new Event.Running(1, 1, 1_000_000)));
        scheduler.runCycle(1_000, List.of(submitted(2, 4, "a")));
        scheduler.runCycle(2_000, List.of(submitted(3, 4, "b")));

        scheduler.runCycle(602_000, List.of());
        scheduler.runCycle(700_000, List.of(submitted(4, 1, "c")));
        assertThat(state(scheduler, 4)).as("while a is protected").isEqualTo(JobState.PENDING);

        scheduler.runCycle(1_203_000, List.of());
        assertThat(state(scheduler, 4)).as("between the protections").isEqualTo(JobState.STARTING);
        scheduler.runCycle(1_790_000, List.of(submitted(5, 1, "c")));
        assertThat(state(scheduler, 5)).as("still between the protections").isEqualTo(JobState.STARTING);

        scheduler.runCycle(1_810_000, List.of(submitted(6, 1, "c")));
        assertThat(state(scheduler, 6)).as("while b is protected").isEqualTo(JobState.PENDING);
    }
}
