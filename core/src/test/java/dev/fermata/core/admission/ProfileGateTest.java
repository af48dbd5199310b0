package dev.fermata.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** One job of an unmeasured profile key runs first where GPUs are scarce, and no job waits longer than its limit. */
class ProfileGateTest {
    private static final long WAIT = 10_000;

    private final Scheduler scheduler = new Scheduler(
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 4).build(),
            PolicySpec.parse("fifo").create(),
            (job, now) -> 1,
            GuardMode.FULL,
            true);

    private static Job job(long id, long profileKey) {
        return Job.builder(id, 1)
                .profileFirst(profileKey == 0 ? ProfileFirst.NONE : new ProfileFirst(profileKey, WAIT))
                .build();
    }

    private List<Long> started(Decision decision) {
        List<Long> ids = new ArrayList<>();
        for (HistoryRecord historyRecord : decision.records()) {
            if (historyRecord instanceof HistoryRecord.Started) {
                ids.add(historyRecord.jobId());
            }
        }
        return ids;
    }

    private Decision submit(long now, long... profileKeys) {
        List<Event> events = new ArrayList<>();
        long id = scheduler.jobs().size();
        for (long profileKey : profileKeys) {
            events.add(new Event.Submitted(job(++id, profileKey)));
        }
        return scheduler.runCycle(now, events);
    }

    @Test
    void withEnoughGpusNoJobWaits() {
        assertThat(started(submit(0, 7, 7, 7, 7))).containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    void whenGpusAreScarceOneJobPerUnknownProfileRunsAndKnownJobsAreUnaffected() {
        Decision first = submit(0, 7, 7, 8, 8, 0);
        assertThat(started(first)).containsExactly(1L, 3L, 5L);
        assertThat(first.wakeAtMillis()).isEqualTo(WAIT);
        assertThat(scheduler.explain(4)).isEqualTo(new PendingReason.ProfilePending(4, 3, WAIT));

        assertThat(started(scheduler.runCycle(WAIT - 1, List.of()))).isEmpty();
        assertThat(started(scheduler.runCycle(WAIT, List.of()))).containsExactly(2L);
        assertThat(Objects.requireNonNull(scheduler.explain(4)).code()).isNotEqualTo(ReasonCode.PROFILE_PENDING);
    }

    @Test
    void aJobWithAKnownProfileDoesNotWait() {
        assertThat(started(submit(0, 7, 7, 7, 7, 7))).containsExactly(1L);
        List<Event> known = new ArrayList<>();
        for (long id = 1; id <= 5; id++) {
            known.add(new Event.JobUpdated(job(id, 0)));
        }
        Decision then = scheduler.runCycle(5, known);
        assertThat(started(then)).containsExactly(2L, 3L, 4L);
        assertThat(then.wakeAtMillis()).isEqualTo(Plan.NEVER);
    }

    @Test
    void whenGpusAreNoLongerScarceTheRestStarts() {
        submit(0, 7, 7, 7, 7, 7);
        assertThat(started(scheduler.runCycle(5, List.of(new Event.CancelRequested(5)))))
                .containsExactly(2L, 3L, 4L);
    }

    @Test
    void jobsThatCannotStartDoNotMakeGpusScarce() {
        List<Event> events = new ArrayList<>();
        for (long id = 1; id <= 6; id++) {
            events.add(new Event.Submitted(job(id, 0)));
            events.add(new Event.HoldRequested(id));
        }
        Dependency first = new Dependency(1, Dependency.Condition.ANY);
        events.add(new Event.Submitted(
                Job.builder(7, 1).dependencies(List.of(first)).build()));
        scheduler.runCycle(0, events);
        assertThat(started(
                        scheduler.runCycle(1, List.of(new Event.Submitted(job(8, 7)), new Event.Submitted(job(9, 7))))))
                .containsExactly(8L, 9L);
    }

    @Test
    void aProfiledJobVacatesItsGpusAndIsScheduledAgain() {
        submit(0, 7, 7, 7, 7, 7);
        scheduler.runCycle(1, List.of(new Event.Running(1, 1, 1_000_000)));
        Decision asked = scheduler.runCycle(50, List.of(new Event.Profiled(1, 1)));
        assertThat(asked.records()).containsExactly(new HistoryRecord.Profiled(1, 1));
        assertThat(asked.orders()).hasSize(1);
        assertThat(scheduler.runCycle(51, List.of(new Event.Profiled(1, 1))).records())
                .isEmpty();

        Usage usage = new Usage(1, 49, 0, 10, 0, 49);
        Decision left = scheduler.runCycle(60, List.of(new Event.AttemptEnded(1, 1, Outcome.PREEMPTED, usage)));
        assertThat(started(left)).containsExactly(1L);
        assertThat(Objects.requireNonNull(scheduler.job(1)).preemptions()).isZero();
    }
}
