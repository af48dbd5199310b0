package dev.fermata.live.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.model.Dependency;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.request.RequestRejectedException.Category;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every job has an explanation of its state and of what would change it. */
class ExplainerTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 2);

    private Explanation explain(long id) {
        return fixture.runAndGet(fixture.service().explain(id));
    }

    @Test
    void pendingJobReportsReasonEvidenceAndUnblocking() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2), TestSpec.gpus(1));
        fixture.advance(4_000);
        Explanation second = explain(2);
        assertThat(second.state()).isEqualTo(JobState.PENDING);
        assertThat(second.reason()).isEqualTo("RESOURCES");
        assertThat(second.evidence())
                .containsEntry("neededGpus", 2)
                .containsEntry("availableGpus", 0)
                .containsEntry("waitedSeconds", 4.0);
        assertThat(second.unblockedBy()).isEqualTo("jobs ending on 2 more GPUs; first to end: job 1");
        assertThat(second.position()).isEqualTo(1);
        assertThat(explain(3).position()).isEqualTo(2);
    }

    @Test
    void jobPendingForADrainedNodeNamesTheNodeAndHowToUndrainIt() {
        LoopFixture two = new LoopFixture("fifo", 1, 1);
        two.submit(TestSpec.gpus(1));
        two.runAndGet(two.service().drain(LoopFixture.ANN, 1, true));
        two.submit(TestSpec.gpus(1), TestSpec.gpus(1).held());
        Explanation why = two.runAndGet(two.service().explain(2));
        assertThat(why.message()).endsWith("; 1 is drained");
        assertThat(why.evidence()).containsEntry("drainedGpus", 1).doesNotContainKey("downGpus");
        assertThat(why.unblockedBy()).startsWith("node1 is drained; fermata undrain node1; or jobs ending on 1 more");
        assertThat(two.runAndGet(two.service().explain(3)).unblockedBy()).doesNotContain("drain");
        two.runAndGet(two.service().drain(LoopFixture.ANN, 1, false));
        assertThat(two.runAndGet(two.service().explain(2)).message()).contains("is being started");
    }

    @Test
    void drainedNodeWithAllGpusInUseIsNotNamed() {
        LoopFixture two = new LoopFixture("fifo", 1, 1);
        two.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        two.runAndGet(two.service().drain(LoopFixture.ANN, 1, true));
        two.submit(TestSpec.gpus(1));
        assertThat(two.runAndGet(two.service().explain(3)).unblockedBy()).doesNotContain("drained");
    }

    @Test
    void failedNodesAndGpusAreNamed() {
        LoopFixture two = new LoopFixture("fifo", 1, 2);
        two.engine.sendEvent(new Event.NodeDown(0));
        two.engine.sendEvent(new Event.GpuDown(2));
        two.runCycle();
        two.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        Explanation why = two.runAndGet(two.service().explain(2));
        assertThat(why.message()).endsWith("; 2 are down");
        assertThat(why.evidence()).containsEntry("downGpus", 2).doesNotContainKey("drainedGpus");
        assertThat(why.unblockedBy()).startsWith("node0 is down; GPU 2 of node1 is down; or ");
    }

    @Test
    void aNodeThatIsDownAndDrainedIsNamedAsBoth() {
        LoopFixture two = new LoopFixture("fifo", 1, 2);
        two.engine.sendEvent(new Event.GpuDown(2));
        two.runAndGet(two.service().drain(LoopFixture.ANN, 1, true));
        two.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        Explanation why = two.runAndGet(two.service().explain(2));
        assertThat(why.message()).endsWith("; 1 is down; 1 is drained");
        assertThat(why.unblockedBy())
                .startsWith("GPU 2 of node1 is down; node1 is drained; fermata undrain node1; or ");
    }

    @Test
    void heldAndDependentJobsReportTheirReason() {
        fixture.submit(TestSpec.gpus(1).held());
        fixture.submit(TestSpec.gpus(1).after(new Dependency(1, Dependency.Condition.SUCCESS)));
        assertThat(explain(1).reason()).isEqualTo("HELD");
        assertThat(explain(1).unblockedBy()).contains("release 1");
        assertThat(explain(2).reason()).isEqualTo("DEPENDENCY");
        assertThat(explain(2).unblockedBy()).contains("job 1");
    }

    @Test
    void jobsOnGpusReportGpusAndProgress() {
        fixture.submit(TestSpec.gpus(2));
        assertThat(explain(1).message()).isEqualTo("is being started on GPUs 0,1");
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.engine.report(1, fixture.now, 12, 100);
        fixture.advance(2_000);
        Explanation running = explain(1);
        assertThat(running.message()).isEqualTo("runs on GPUs 0,1, at step 12 of 100");
        assertThat(running.evidence()).containsEntry("step", 12L).containsEntry("sinceSeconds", 2.0);
        assertThat(running.position()).isZero();
        assertThat(fixture.service().progress(1)).isNotNull();
    }

    @Test
    void endedJobsReportTheirOutcome() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.end(1, Outcome.FAILED, 7, "no such file");
        fixture.advance(10);
        Explanation ended = explain(1);
        assertThat(ended.message()).isEqualTo("has failed with exit code 7: no such file");
        assertThat(ended.evidence()).containsEntry("exitCode", 7);
        assertThat(fixture.rejection(fixture.service().explain(2)).category()).isEqualTo(Category.NOT_FOUND);
        assertThat(fixture.service().progress(1)).isNull();
    }

    @Test
    void orderFollowedIsEvidence() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        OrderChoice order = new OrderChoice(0.5, 64, List.of(new OrderChoice.Candidate(1, 0.031)));
        Explanation said = Explainer.explainPending(
                fixture.row(2), pendingReason(ReasonCode.RESOURCES, fixture.now), List.of(), order, 1, fixture.now);
        assertThat(said.evidence())
                .containsEntry(
                        "order",
                        "least remaining time x GPUs^0.5 first (mean JCT of the last 64 submissions played again:"
                                + " +3.1 % with x GPUs)");
    }

    @Test
    void orderBeforeTheFirstRehearsalIsNamedAlone() {
        assertThat(OrderText.of(new OrderChoice(0, 0, List.of()))).isEqualTo("least remaining time first");
        assertThat(OrderText.of(new OrderChoice(1, 0, List.of()))).isEqualTo("least remaining time x GPUs first");
    }

    @ParameterizedTest
    @EnumSource(ReasonCode.class)
    void everyReasonHasAnUnblockingSentence(ReasonCode reason) {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        PendingReason pendingReason = pendingReason(reason, fixture.now + 90_000);
        Explanation said = Explainer.explainPending(fixture.row(2), pendingReason, List.of(), null, 1, fixture.now);
        assertThat(said.reason()).isEqualTo(reason.name());
        assertThat(said.unblockedBy()).isNotBlank();
        assertThat(said.message()).isNotBlank();
        if (pendingReason.expectedEndMillis().isPresent()) {
            assertThat(said.evidence()).containsEntry("expectedToEndInSeconds", 90.0);
        } else {
            assertThat(said.evidence()).doesNotContainKey("expectedToEndInSeconds");
        }
    }

    private static PendingReason pendingReason(ReasonCode code, long untilMillis) {
        return switch (code) {
            case UNSATISFIABLE -> new PendingReason.Unsatisfiable(2, 4, 1);
            case HELD -> new PendingReason.Held(2);
            case NO_NODES -> new PendingReason.NoNodes(2, 4, 1, "A100 GPUs");
            case START_FAILED -> new PendingReason.StartFailed(2, 3, 8, untilMillis);
            case ENGINE_UNREACHABLE -> new PendingReason.EngineUnreachable(2, "connection refused");
            case DEPENDENCY -> new PendingReason.DependencyPending(2, 4, 3);
            case ARRAY_LIMIT -> new PendingReason.ArrayLimit(2, 4, 1);
            case PROFILE_PENDING -> new PendingReason.ProfilePending(2, 3, untilMillis);
            case QUEUE_LIMIT -> new PendingReason.QueueLimit(2, 4, 1);
            case QUEUE_SHARE -> new PendingReason.QueueShare(2, 4, 1);
            case PREEMPTION_PENDING ->
                new PendingReason.PreemptionPending(
                        2, 4, 1, new PendingReason.PreemptionPending.VacatingJob(3, untilMillis));
            case PRIORITY -> new PendingReason.Priority(2, 4, 1, 3);
            case RESOURCES -> new PendingReason.Resources(2, 4, 1);
            case FRAGMENTED -> new PendingReason.Fragmented(2, 4, 1);
            case WAITING_FOR_LOCALITY -> new PendingReason.WaitingForLocality(2, 4, 1, untilMillis);
            case HOST_RESOURCES -> new PendingReason.HostResources(2, 4, 1);
            case MEMORY -> new PendingReason.Memory(2, 4, 1);
            case RESERVATION -> new PendingReason.Reservation(2, 4, 1, 3);
            case PREEMPTION_NOT_WORTH_IT -> new PendingReason.PreemptionNotWorthIt(2, 3, 1, 4);
            case NOT_YET_CONSIDERED -> new PendingReason.NotYetConsidered(2);
        };
    }
}
