package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Some engines report at once that a job has loaded, some with the next event: its preemption costs the same. */
class LateEventTest {
    private final SchedulerHarness harness = new SchedulerHarness(
            Topology.builder().rack().node(GpuCatalogue.byName("V100"), 1).build(),
            PolicySpec.parse("fermata").create());

    private static Job job(long id, long seconds) {
        return Job.builder(id, 1)
                .declaredMillis(1000 * seconds)
                .costs(new Costs(1_000, 2_000, 0, 0))
                .build();
    }

    private Event runningEvent(long id) {
        return new Event.Running(id, harness.attempt(id), Speed.UNIT);
    }

    /** Two long jobs wait; ten short ones come and go before them. Then the first runs, and one arrives for which a preemption pays. */
    private HistoryRecord.Preempting preemptionUnderLoad(boolean together) {
        harness.submit(job(10, 10));
        harness.submit(job(1, 9_000), job(2, 9_100));
        for (int id = 10; id < 20; id++) {
            harness.at(10_000L * id);
            if (together) {
                harness.handle(runningEvent(id), new Event.Submitted(job(id + 1, 10)));
            } else {
                harness.handle();
                harness.handle(runningEvent(id));
                harness.submit(job(id + 1, 10));
            }
            harness.end(id, Outcome.COMPLETED);
        }
        harness.running(20);
        harness.end(20, Outcome.COMPLETED);
        harness.running(1);
        return findPreempting(harness.at(300_000).submit(job(30, 5)));
    }

    /** Ten jobs arrive while none waits, and run at once; the next waits, and the one after it is short. */
    private HistoryRecord.Preempting preemptionAfterIdle(boolean together) {
        SchedulerHarness wide = new SchedulerHarness(
                Topology.builder().rack().node(GpuCatalogue.byName("V100"), 10).build(),
                PolicySpec.parse("fermata").create());
        for (int id = 10; id < 20; id++) {
            wide.submit(job(id, 9_000));
        }
        Event[] events = new Event[11];
        for (int i = 0; i < 10; i++) {
            events[i] = new Event.Running(10 + i, 1, Speed.UNIT);
        }
        events[10] = new Event.Submitted(job(1, 9_500));
        wide.at(10_000);
        if (together) {
            wide.handle(events);
        } else {
            wide.handle(Arrays.copyOf(events, 10));
            wide.handle(events[10]);
        }
        return findPreempting(wide.at(60_000).submit(job(30, 5)));
    }

    private static HistoryRecord.Preempting findPreempting(Decision decision) {
        return decision.records().stream()
                .filter(HistoryRecord.Preempting.class::isInstance)
                .map(HistoryRecord.Preempting.class::cast)
                .findFirst()
                .orElseThrow();
    }

    /** It was reported as running while it still loaded: its work was only estimated, and it must not rank as new again. */
    @Test
    void estimatedWorkIsKeptAsPeakWork() {
        harness.submit(job(1, 100));
        harness.running(1);
        harness.at(5_000).handle(new Event.AttemptEnded(1, 1, Outcome.LOST, new Usage(5_000, 0, 0, 0, 0, 0)));
        assertThat(harness.job(1).savedWorkMillis()).isZero();
        assertThat(harness.job(1).peakWorkMillis()).isEqualTo(5_000);
    }

    /** The machine was off for hours, and the engine knows of nothing that the job did. */
    @Test
    void unreportedTimeIsNotCountedAsWork() {
        harness.submit(job(1, 100));
        harness.running(1);
        harness.at(30_000_000).end(1, Outcome.LOST);
        assertThat(harness.job(1).peakWorkMillis()).isZero();
    }

    @Test
    void startsWithAnEmptyQueueAreNotCountedWhenReportedLate() {
        assertThat(preemptionAfterIdle(true)).isEqualTo(preemptionAfterIdle(false));
    }

    @Test
    void startsWithAWaitingQueueAreCountedWhenReportedLate() {
        HistoryRecord.Preempting late = preemptionUnderLoad(true);
        HistoryRecord.Preempting onTime = new LateEventTest().preemptionUnderLoad(false);
        assertThat(late).isEqualTo(onTime);
    }

    /** The engine says what attempt 1 needs when attempt 2 runs already: that is no reason for attempt 2 to leave. */
    @Test
    void whatAnEarlierAttemptHasProvenChangesNothing() {
        harness.submit(job(1, 100));
        harness.running(1);
        harness.at(5_000).end(1, Outcome.LOST);
        harness.running(1);
        assertThat(harness.attempt(1)).isEqualTo(2);

        assertThat(harness.handle(new Event.Profiled(1, 1)).records()).isEmpty();
        assertThat(harness.job(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(harness.handle(new Event.Profiled(1, 2)).records()).isNotEmpty();
        assertThat(harness.job(1).state()).isEqualTo(JobState.PREEMPTING);
    }

    /** The engine's report counts, not the estimate: 40 s saved and 2 s lost are more than the estimated 5 s. */
    @Test
    void workThatWasProvenCountsThoughItWasLost() {
        harness.submit(job(1, 100));
        harness.running(1);
        harness.at(5_000).handle(new Event.AttemptEnded(1, 1, Outcome.LOST, new Usage(0, 3_000, 2_000, 0, 0, 40_000)));

        assertThat(harness.job(1).savedWorkMillis()).isEqualTo(40_000);
        assertThat(harness.job(1).peakWorkMillis()).isEqualTo(42_000);
    }
}
