package dev.fermata.core.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicyCatalogue;
import dev.fermata.core.policy.PolicySpec;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Events in an order that no simulator sends, but real engines do. */
class UnusualEventTest {
    private static final Topology ONE_GPU =
            Topology.builder().node(GpuCatalogue.GENERIC, 1).build();

    static List<String> policies() {
        return PolicyCatalogue.names();
    }

    @ParameterizedTest
    @MethodSource("policies")
    void aJobSubmittedAndCancelledInOneCycleHasEnded(String policy) {
        SchedulerHarness harness =
                new SchedulerHarness(ONE_GPU, PolicySpec.parse(policy).create());
        Job job = Job.builder(1, 1).build();

        Decision decision = harness.handle(new Event.Submitted(job), new Event.CancelRequested(1));

        assertThat(decision.records())
                .containsExactly(new HistoryRecord.Submitted(job), new HistoryRecord.JobEnded(1, JobState.CANCELLED));
        assertThat(harness.scheduler.jobs()).isEmpty();
    }

    @Test
    void aFaultReportedTwiceCountsOnce() {
        SchedulerHarness harness =
                new SchedulerHarness(ONE_GPU, PolicySpec.parse("fifo").create());
        harness.handle(new Event.GpuUp(0));
        harness.handle(new Event.GpuDown(0));
        harness.handle(new Event.NodeDown(0));
        harness.handle(new Event.NodeDown(0));

        assertThat(harness.handle(new Event.Submitted(Job.builder(1, 1).build()))
                        .orders())
                .isEmpty();
        assertThat(harness.handle(new Event.NodeUp(0)).orders()).isEmpty();
        assertThat(harness.handle(new Event.GpuUp(0)).orders()).hasSize(1);
    }

    @Test
    void aVacatingJobIsNoVictimAndItsGpuIsReservedAtOnce() {
        SchedulerHarness harness =
                new SchedulerHarness(ONE_GPU, PolicySpec.parse("srtf").create());
        harness.handle(
                new Event.Submitted(Job.builder(1, 1).declaredMillis(100_000).build()));
        harness.handle(new Event.Running(1, 1, 1_000_000));

        Decision decision = harness.handle(
                new Event.CancelRequested(1),
                new Event.Submitted(Job.builder(2, 1).declaredMillis(1000).build()));

        assertThat(decision.records()).noneMatch(HistoryRecord.Preempting.class::isInstance);
        assertThat(decision.records())
                .anyMatch(historyRecord -> historyRecord instanceof HistoryRecord.Reserved p && p.jobId() == 2);
    }
}
