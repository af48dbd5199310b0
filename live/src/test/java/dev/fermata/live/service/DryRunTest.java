package dev.fermata.live.service;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.ReasonCode;
import dev.fermata.live.loop.LoopFixture;
import dev.fermata.live.loop.TestSpec;
import dev.fermata.live.request.RequestRejectedException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A dry run describes the effect of a job and changes nothing. */
class DryRunTest {
    private final LoopFixture fixture = new LoopFixture("srtf", 2);

    private DryRunResult dryRun(TestSpec spec) throws Exception {
        CompletableFuture<DryRunResult> answer = fixture.service().dryRun(LoopFixture.ANN, spec.spec());
        fixture.runCycle();
        return answer.get(20, SECONDS);
    }

    @Test
    void dryRunNamesFreeGpusAndChangesNothing() throws Exception {
        int before = fixture.store.entries().size();
        DryRunResult result = dryRun(TestSpec.gpus(2));
        assertThat(result.startsNow()).isTrue();
        assertThat(result.gpus()).containsExactly(0, 1);
        assertThat(fixture.store.entries()).hasSize(before);
        assertThat(fixture.submit(TestSpec.gpus(1))).containsExactly(1L);
    }

    @Test
    void infeasibleJobIsReportedAsInfeasible() throws Exception {
        DryRunResult result = dryRun(TestSpec.gpus(3));
        assertThat(result.feasible()).isFalse();
        assertThat(result.reason()).isEqualTo(ReasonCode.UNSATISFIABLE);
        assertThat(result.message()).contains("at most 2");
    }

    @Test
    void dryRunIsRejectedForTheSameReasonAsASubmission() {
        fixture.settings = fixture.settings.withMaxLiveJobs(1);
        fixture.restart();
        fixture.submit(TestSpec.gpus(1));
        RequestRejectedException full = fixture.rejection(
                fixture.service().dryRun(LoopFixture.ANN, TestSpec.gpus(1).spec()));
        assertThat(full.category()).isEqualTo(RequestRejectedException.Category.BUSY);
        RequestRejectedException submitted =
                fixture.rejection(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null));
        assertThat(full.getMessage()).isEqualTo(submitted.getMessage());
    }

    @Test
    void pendingJobReportsItsReason() throws Exception {
        fixture.submit(TestSpec.gpus(2));
        DryRunResult result = dryRun(TestSpec.gpus(2));
        assertThat(result.feasible()).isTrue();
        assertThat(result.startsNow()).isFalse();
        assertThat(result.reason()).isNotNull();
    }

    @Test
    void victimsAreNamedAndNoJobIsPreempted() throws Exception {
        fixture.submit(TestSpec.gpus(2).named("long"));
        fixture.engine.running(1);
        fixture.advance(10);
        fixture.engine.report(1, fixture.now, 1, 10_000);
        fixture.advance(60_000);
        fixture.engine.report(1, fixture.now, 2, 10_000);
        fixture.advance(1_000);
        DryRunResult result = dryRun(TestSpec.gpus(1).named("short"));
        assertThat(result.victims()).singleElement().isEqualTo(new DryRunResult.PlannedVictim(1, "long", "ann", 2));
        assertThat(result.gpus()).hasSize(1);
        assertThat(fixture.engine.orders).noneMatch(order -> order.startsWith("pause"));
    }
}
