package dev.fermata.core.admit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a policy behind the gates is shown. */
class GatedTest {
    /** Does nothing, and remembers what it saw. */
    private static final class Onlooker implements Policy {
        final List<View> views = new ArrayList<>();
        final List<String> told = new ArrayList<>();
        int pending;

        @Override
        public Plan decide(View view) {
            views.add(view);
            pending = view.pendingJobs();
            for (JobView job : view.changed()) {
                told.add(job.id() + " " + job.state());
            }
            return Plan.NOTHING;
        }

        @Override
        public Verdict explain(View view, JobView job) {
            return Verdict.of(job.id(), Reason.PRIORITY, 1, 0);
        }
    }

    private final Onlooker onlooker = new Onlooker();
    private final Scheduler scheduler = scheduler(onlooker);

    private static Scheduler scheduler(Policy policy) {
        Topology topology =
                Topology.builder().rack().node(GpuCatalogue.named("V100"), 4).build();
        return new Scheduler(topology, policy, (job, now) -> 1, GuardMode.FULL, true);
    }

    private static Event submitted(long id) {
        return new Event.Submitted(Job.builder(id, 1).queue("q").build());
    }

    private static Reason reason(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.explain(id)).reason();
    }

    @Test
    void withoutGatesThePolicySeesTheLedgersOwnViewOnceInEveryStep() {
        scheduler.step(0, List.of(submitted(1)));
        scheduler.step(1, List.of(submitted(2), new Event.CancelAsked(1)));
        scheduler.step(2, List.of());
        assertThat(onlooker.views).hasSize(3).allMatch(view -> view == scheduler.view());
    }

    @Test
    void aJobPutOnHoldIsGoneAndComesBackAsNew() {
        scheduler.step(0, List.of(submitted(1), submitted(2)));
        scheduler.step(1, List.of(new Event.HoldAsked(1)));
        assertThat(onlooker.told).containsExactly("1 PENDING", "2 PENDING", "1 CANCELLED");
        assertThat(onlooker.pending).isEqualTo(1);
        assertThat(onlooker.views.get(onlooker.views.size() - 1).job(1)).isNull();
        assertThat(reason(scheduler, 1)).isEqualTo(Reason.HELD);
        assertThat(reason(scheduler, 2)).isEqualTo(Reason.PRIORITY);

        scheduler.step(2, List.of(new Event.ReleaseAsked(1)));
        assertThat(onlooker.told).endsWith("1 PENDING");
        assertThat(onlooker.pending).isEqualTo(2);
    }

    @Test
    void whoEndsBehindAGateEndsUnheard() {
        scheduler.step(0, List.of(submitted(1), new Event.HoldAsked(1)));
        int heard = onlooker.told.size();
        scheduler.step(1, List.of(new Event.CancelAsked(1), submitted(2)));
        assertThat(onlooker.told.subList(heard, onlooker.told.size())).containsExactly("2 PENDING");
        scheduler.step(2, List.of(submitted(3)));
        assertThat(onlooker.told).endsWith("3 PENDING");
    }

    @Test
    void aRestoredSchedulerKnowsEveryGate() {
        scheduler.step(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 0, 1)))));
        scheduler.step(1, List.of(submitted(1), submitted(2), new Event.HoldAsked(2)));
        Onlooker other = new Onlooker();
        Scheduler restored = scheduler(other);
        restored.restore(scheduler.image());
        restored.step(2, List.of());
        assertThat(reason(restored, 1)).isEqualTo(Reason.QUEUE_LIMIT);
        assertThat(reason(restored, 2)).isEqualTo(Reason.HELD);
        assertThat(other.pending).isZero();
    }

    @Test
    void whoCameLaterIsNotWaitedForNorIsHisEndNewsAfterARestart() {
        Job first = Job.builder(1, 1)
                .after(List.of(new After(2, After.Wanted.SUCCESS)))
                .build();
        scheduler.step(0, List.of(new Event.Submitted(first)));
        scheduler.step(1, List.of(submitted(2)));
        Scheduler restored = scheduler(new Onlooker());
        restored.restore(scheduler.image());
        restored.step(2, List.of(new Event.CancelAsked(2)));
        assertThat(reason(restored, 1)).isEqualTo(Reason.PRIORITY);
    }

    @Test
    void whenRulesAreLiftedEverybodyIsShown() {
        scheduler.step(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 0, 1))), submitted(1)));
        assertThat(onlooker.pending).isZero();
        scheduler.step(1, List.of(new Event.QueuesSet(List.of())));
        assertThat(onlooker.pending).isEqualTo(1);
    }
}
