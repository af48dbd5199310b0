package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What a policy behind the gates is shown. */
class AdmissionControllerTest {
    /** Does nothing, and remembers what it saw. */
    private static final class RecordingPolicy implements Policy {
        final List<View> views = new ArrayList<>();
        final List<String> reported = new ArrayList<>();
        int pending;

        @Override
        public Plan decide(View view) {
            views.add(view);
            pending = view.pendingJobs();
            for (JobView job : view.changedJobs()) {
                reported.add(job.id() + " " + job.state() + (view.isAdmitted(job) ? "" : ", not admitted"));
            }
            return Plan.EMPTY;
        }

        @Override
        public void prepare(View view) {
            views.add(view);
        }

        @Override
        public PendingReason explain(View view, JobView job) {
            return new PendingReason.Priority(job.id(), 1, 0, 0);
        }
    }

    private final RecordingPolicy recorder = new RecordingPolicy();
    private final Scheduler scheduler = scheduler(recorder);

    private static Scheduler scheduler(Policy policy) {
        Topology topology =
                Topology.builder().rack().node(GpuCatalogue.byName("V100"), 4).build();
        return new Scheduler(topology, policy, (job, now) -> 1, GuardMode.FULL, true);
    }

    private static Event submitted(long id) {
        return new Event.Submitted(Job.builder(id, 1).queue("q").build());
    }

    private static ReasonCode reason(Scheduler scheduler, long id) {
        return Objects.requireNonNull(scheduler.explain(id)).code();
    }

    @Test
    void withoutGatesThePolicySeesTheSchedulersOwnViewOncePerCycle() {
        scheduler.runCycle(0, List.of(submitted(1)));
        scheduler.runCycle(1, List.of(submitted(2), new Event.CancelRequested(1)));
        scheduler.runCycle(2, List.of());
        assertThat(recorder.views).hasSize(3).allMatch(view -> view == scheduler.view());
    }

    @Test
    void thePolicyWorksAheadOnTheViewThatItDecidesOn() {
        scheduler.prepare();
        scheduler.runCycle(0, List.of(submitted(1), submitted(2)));
        assertThat(recorder.views).hasSize(2).allMatch(view -> view == scheduler.view());
        scheduler.runCycle(1, List.of(new Event.HoldRequested(1)));
        View decided = recorder.views.get(recorder.views.size() - 1);
        scheduler.prepare();
        assertThat(recorder.views.get(recorder.views.size() - 1)).isSameAs(decided);
        assertThat(decided.job(1)).isNull();
        assertThat(decided.job(2)).isNotNull();
    }

    @Test
    void aJobOnHoldIsHiddenAndReappearsAsNew() {
        scheduler.runCycle(0, List.of(submitted(1), submitted(2)));
        scheduler.runCycle(1, List.of(new Event.HoldRequested(1)));
        assertThat(recorder.reported).containsExactly("1 PENDING", "2 PENDING", "1 PENDING, not admitted");
        assertThat(recorder.pending).isEqualTo(1);
        assertThat(recorder.views.get(recorder.views.size() - 1).job(1)).isNull();
        assertThat(reason(scheduler, 1)).isEqualTo(ReasonCode.HELD);
        assertThat(reason(scheduler, 2)).isEqualTo(ReasonCode.PRIORITY);

        scheduler.runCycle(2, List.of(new Event.ReleaseRequested(1)));
        assertThat(recorder.reported).endsWith("1 PENDING");
        assertThat(recorder.pending).isEqualTo(2);
    }

    @Test
    void theEndOfAHiddenJobIsNotReported() {
        scheduler.runCycle(0, List.of(submitted(1), new Event.HoldRequested(1)));
        int reportedBefore = recorder.reported.size();
        scheduler.runCycle(1, List.of(new Event.CancelRequested(1), submitted(2)));
        assertThat(recorder.reported.subList(reportedBefore, recorder.reported.size()))
                .containsExactly("2 PENDING");
        scheduler.runCycle(2, List.of(submitted(3)));
        assertThat(recorder.reported).endsWith("3 PENDING");
    }

    @Test
    void aRestoredSchedulerKeepsEveryGate() {
        scheduler.runCycle(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 0, 1)))));
        scheduler.runCycle(1, List.of(submitted(1), submitted(2), new Event.HoldRequested(2)));
        RecordingPolicy other = new RecordingPolicy();
        Scheduler restored = scheduler(other);
        restored.restore(scheduler.snapshot());
        restored.runCycle(2, List.of());
        assertThat(reason(restored, 1)).isEqualTo(ReasonCode.QUEUE_LIMIT);
        assertThat(reason(restored, 2)).isEqualTo(ReasonCode.HELD);
        assertThat(other.pending).isZero();
    }

    @Test
    void aJobDoesNotDependOnALaterJobEvenAfterARestart() {
        Job first = Job.builder(1, 1)
                .dependencies(List.of(new Dependency(2, Dependency.Condition.SUCCESS)))
                .build();
        scheduler.runCycle(0, List.of(new Event.Submitted(first)));
        scheduler.runCycle(1, List.of(submitted(2)));
        Scheduler restored = scheduler(new RecordingPolicy());
        restored.restore(scheduler.snapshot());
        restored.runCycle(2, List.of(new Event.CancelRequested(2)));
        assertThat(reason(restored, 1)).isEqualTo(ReasonCode.PRIORITY);
    }

    @Test
    void aJobCancelledInTheCycleInWhichItsDependencyFailsIsCancelledOnce() {
        Job second = Job.builder(2, 1)
                .dependencies(List.of(new Dependency(1, Dependency.Condition.SUCCESS)))
                .build();
        scheduler.runCycle(0, List.of(submitted(1), new Event.Submitted(second)));
        Decision decision = scheduler.runCycle(1, List.of(new Event.CancelRequested(1), new Event.CancelRequested(2)));
        assertThat(decision.records())
                .containsExactly(
                        new HistoryRecord.JobEnded(1, JobState.CANCELLED),
                        new HistoryRecord.JobEnded(2, JobState.CANCELLED));
    }

    @Test
    void whenQueueRulesAreRemovedEveryJobIsVisible() {
        scheduler.runCycle(0, List.of(new Event.QueuesSet(List.of(new QueueRule("q", 0, 0, 1))), submitted(1)));
        assertThat(recorder.pending).isZero();
        scheduler.runCycle(1, List.of(new Event.QueuesSet(List.of())));
        assertThat(recorder.pending).isEqualTo(1);
    }
}
