package dev.fermata.core.admit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Gates where much comes together: long chains, refused actions, large jobs in front of small ones. */
class GatesUnderLoadTest {
    private static final int CHAIN = 300;

    private static final Topology FOUR =
            Topology.builder().rack().node(GpuCatalogue.named("V100"), 4).build();

    /** Always wants something that the guard refuses. */
    private static final class Confused implements Policy {
        @Override
        public Plan decide(View view) {
            Allocation gpu = Allocation.of(view.topology(), new int[] {0}, false);
            return new Plan(List.of(new Action.Start(1_000_000, gpu)), List.of(), Plan.NEVER);
        }

        @Override
        public Verdict explain(View view, JobView job) {
            return Verdict.of(job.id(), Reason.PRIORITY, 1, 0);
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
                    .after(List.of(new After(id - 1, After.Wanted.SUCCESS)))
                    .build()));
        }
        return events;
    }

    private static JobState state(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.job(id)).state();
    }

    @Test
    void aLongChainEndsInTheStepInWhichItsFirstFails() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        scheduler.step(0, chain());
        scheduler.step(1, List.of(new Event.Running(1, 1, 1_000_000)));
        scheduler.step(2, List.of(new Event.Left(1, 1, Outcome.FAILED, Usage.NOTHING)));
        assertThat(scheduler.jobs()).isEmpty();
    }

    @Test
    void aChainEndsInOneStepWhateverElseIsRefused() {
        Scheduler scheduler = scheduler(new Confused());
        scheduler.step(0, chain());
        scheduler.step(1, List.of(new Event.CancelAsked(1)));
        assertThat(scheduler.jobs()).isEmpty();
    }

    @Test
    void whoWaitsForAFailureInTheChainRunsWhenItIsCancelled() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        List<Event> events = chain();
        events.add(new Event.Submitted(Job.builder(CHAIN + 1, 1)
                .after(List.of(new After(CHAIN, After.Wanted.FAILURE)))
                .build()));
        scheduler.step(0, events);
        scheduler.step(1, List.of(new Event.CancelAsked(1)));
        scheduler.step(2, List.of(new Event.Left(1, 1, Outcome.PAUSED, Usage.NOTHING)));
        assertThat(scheduler.jobs()).hasSize(1);
        assertThat(state(scheduler, CHAIN + 1)).isNotEqualTo(JobState.PENDING);
    }

    @Test
    void aLargeJobDoesNotKeepTheOneBehindItFromItsGuarantee() {
        Scheduler scheduler = scheduler(PolicySpec.parse("fifo").create());
        scheduler.step(0, List.of(new Event.QueuesSet(List.of(new QueueRule("owed", 2, QueueRule.NO_LIMIT, 1)))));
        for (long id = 1; id <= 4; id++) {
            scheduler.step(id, List.of(submitted(id, 1, "other")));
            scheduler.step(id, List.of(new Event.Running(id, 1, 1_000_000)));
        }
        scheduler.step(1000, List.of(submitted(5, 4, "owed"))); // more than is guaranteed
        scheduler.step(1001, List.of(submitted(6, 1, "owed")));
        assertThat(Objects.requireNonNull(scheduler.job(6)).promised()).isTrue();
        assertThat(Objects.requireNonNull(scheduler.job(5)).promised()).isFalse();
    }
}
