package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.RequestRejectedException;
import dev.fermata.live.request.RequestRejectedException.Category;
import dev.fermata.live.spec.JobFileParser;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.state.QueueState;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.JobRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Requests to the service and their effects. */
class SchedulerLoopTest {
    private final LoopFixture fixture = new LoopFixture("fifo", 2);

    @Test
    void submittedJobStartsAfterItIsDurable() {
        CompletableFuture<List<Long>> answer =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
        assertThat(answer).isNotDone();
        assertThat(fixture.engine.orders).isEmpty();
        fixture.runCycle();
        assertThat(answer.join()).containsExactly(1L);
        assertThat(fixture.engine.orders).containsExactly("start 1.1 on [0]");
        assertThat(fixture.history())
                .containsExactly("ClusterChanged by engine", "Submitted 1 by ann", "Started 1 by policy");
        assertThat(fixture.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(fixture.row(1).heldGpus()).isEqualTo("0");
    }

    @Test
    void rowsRecordTheWholeLifeOfAJob() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(500);
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        fixture.advance(4_000);
        JobRow first = fixture.row(1);
        assertThat(first.state()).isEqualTo(JobState.COMPLETED);
        assertThat(first.runMillis()).isEqualTo(4_000);
        assertThat(first.waitMillis()).isZero();
        assertThat(first.exitCode()).isZero();
        assertThat(first.heldGpus()).isEmpty();
        assertThat(first.finishedMillis() - first.submittedMillis()).isEqualTo(4_500);
        JobRow second = fixture.row(2);
        assertThat(second.state()).isEqualTo(JobState.STARTING);
        assertThat(second.waitMillis()).isEqualTo(4_500);
        AttemptRow run = fixture.store.attempts(1).get(0);
        assertThat(run.outcome()).isEqualTo("COMPLETED");
        assertThat(run.endedMillis() - run.runningMillis()).isEqualTo(4_000);
    }

    @Test
    void requestsOfOneCycleAreOneTransaction() {
        int before = fixture.store.appends();
        for (int i = 0; i < 50; i++) {
            assertThat(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null))
                    .isNotDone();
        }
        fixture.runCycle();
        assertThat(fixture.store.appends()).isEqualTo(before + 1);
        assertThat(fixture.store.entries()).hasSize(53); // with the cluster
    }

    @Test
    void sameKeyGivesTheSameJobs() {
        CompletableFuture<List<Long>> one =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "k");
        CompletableFuture<List<Long>> two =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "k");
        assertThat(fixture.runAndGet(one)).containsExactly(1L);
        assertThat(two.join()).containsExactly(1L);
        fixture.restart();
        assertThat(fixture.runAndGet(
                        fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "k")))
                .containsExactly(1L);
        RequestRejectedException other =
                fixture.rejection(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(2)), "k"));
        assertThat(other.category()).isEqualTo(Category.CONFLICT);
        Actor bob = new Actor("bob", "USER", "");
        assertThat(fixture.runAndGet(fixture.service().submit(bob, LoopFixture.specs(TestSpec.gpus(2)), "k")))
                .containsExactly(2L);
    }

    @Test
    void unreadableStoreIsReadOncePerCycle() {
        fixture.store.unreadable = true;
        CompletableFuture<List<Long>> one =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "k");
        CompletableFuture<List<Long>> two =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "l");
        CompletableFuture<List<Long>> noKey =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
        assertThat(fixture.rejection(one).category()).isEqualTo(Category.UNAVAILABLE);
        assertThat(fixture.rejection(two).category()).isEqualTo(Category.UNAVAILABLE);
        assertThat(noKey.join()).containsExactly(1L);
        assertThat(fixture.store.lookups).isEqualTo(1);
        fixture.store.unreadable = false;
        assertThat(fixture.runAndGet(
                        fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), "l")))
                .containsExactly(2L);
    }

    @Test
    void infeasibleJobIsRejectedAtSubmissionUnlessHeld() {
        RequestRejectedException never =
                fixture.rejection(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(3)), null));
        assertThat(never.category()).isEqualTo(Category.INVALID);
        assertThat(never).hasMessageContaining("at most 2").hasMessageContaining("2 × H100");
        assertThat(fixture.submit(TestSpec.gpus(3).held())).containsExactly(1L);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.UNSATISFIABLE);
        assertThat(fixture.submit(TestSpec.gpus(1))).containsExactly(2L);
    }

    @Test
    void engineMayRejectAJobAtSubmission() {
        Actor stranger = new Actor("stranger", "USER", "");
        RequestRejectedException rejection =
                fixture.rejection(fixture.service().submit(stranger, LoopFixture.specs(TestSpec.gpus(1)), null));
        assertThat(rejection.category()).isEqualTo(Category.INVALID);
    }

    @Test
    void submissionAboveTheLiveJobLimitIsRejectedAsBusy() {
        fixture.settings = fixture.settings.withMaxLiveJobs(2);
        fixture.restart();
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        RequestRejectedException full =
                fixture.rejection(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null));
        assertThat(full.category()).isEqualTo(Category.BUSY);
    }

    @Test
    void fullInboxRejectsRequestsAtOnceButKeepsEngineEvents() {
        fixture.settings = fixture.settings.withMaxQueuedRequests(2);
        fixture.restart();
        fixture.submit(TestSpec.gpus(2));
        assertThat(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null))
                .isNotDone();
        assertThat(fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null))
                .isNotDone();
        CompletableFuture<List<Long>> third =
                fixture.service().submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1)), null);
        assertThat(third).isCompletedExceptionally();
        assertThat(fixture.rejection(third).category()).isEqualTo(Category.BUSY);
        fixture.engine.running(1);
        fixture.runCycle();
        assertThat(fixture.row(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void cancelEndsPendingJobsAtOnceAndRunningJobsWhenTheirAttemptEnds() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        fixture.engine.running(1);
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 2));
        assertThat(fixture.row(2).state()).isEqualTo(JobState.CANCELLED);
        fixture.runAndGet(fixture.service().cancel(LoopFixture.ANN, 1));
        assertThat(fixture.row(1).state()).isEqualTo(JobState.PREEMPTING);
        assertThat(fixture.engine.orders).contains("kill 1.1");
        fixture.engine.end(1, Outcome.CANCELLED, 143, "ended as asked");
        fixture.advance(10);
        assertThat(fixture.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(fixture.rejection(fixture.service().cancel(LoopFixture.ANN, 1))
                        .category())
                .isEqualTo(Category.CONFLICT);
        assertThat(fixture.rejection(fixture.service().cancel(LoopFixture.ANN, 9))
                        .category())
                .isEqualTo(Category.NOT_FOUND);
    }

    @Test
    void endedDependenciesAreResolvedAtSubmission() {
        fixture.submit(TestSpec.gpus(1), TestSpec.gpus(1));
        fixture.engine.end(1, Outcome.COMPLETED, 0, "");
        fixture.engine.end(2, Outcome.FAILED, 1, "");
        // not sent to the scheduler yet: the request must see it nevertheless
        CompletableFuture<List<Long>> fine = fixture.service()
                .submit(
                        LoopFixture.ANN,
                        LoopFixture.specs(TestSpec.gpus(1)
                                .after(
                                        new Dependency(1, Dependency.Condition.SUCCESS),
                                        new Dependency(2, Dependency.Condition.ANY))),
                        null);
        CompletableFuture<List<Long>> never = fixture.service()
                .submit(
                        LoopFixture.ANN,
                        LoopFixture.specs(TestSpec.gpus(1).after(new Dependency(2, Dependency.Condition.SUCCESS))),
                        null);
        CompletableFuture<List<Long>> unknown = fixture.service()
                .submit(
                        LoopFixture.ANN,
                        LoopFixture.specs(TestSpec.gpus(1).after(new Dependency(77, Dependency.Condition.ANY))),
                        null);
        assertThat(fixture.runAndGet(fine)).containsExactly(3L);
        assertThat(fixture.rejection(never)).hasMessageContaining("FAILED");
        assertThat(fixture.rejection(unknown)).hasMessageContaining("no job 77");
        assertThat(fixture.row(3).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void arrayIsSubmittedAsAWholeWithConsecutiveIds() {
        assertThat(fixture.submit(
                        TestSpec.gpus(1),
                        TestSpec.gpus(1).array(5, 2, 1),
                        TestSpec.gpus(1).array(6, 2, 1)))
                .containsExactly(1L, 2L, 3L);
        assertThat(fixture.row(1).arrayId()).isEqualTo(-1);
        assertThat(fixture.row(3).arrayId()).isEqualTo(2);
        assertThat(fixture.row(3).arrayIndex()).isEqualTo(6);
        RequestRejectedException part = fixture.rejection(fixture.service()
                .submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1).array(0, 2, 0)), null));
        assertThat(part).hasMessageContaining("whole");
    }

    @Test
    void drainedNodeStartsNoJobsAndStaysDrainedAcrossARestart() {
        LoopFixture two = new LoopFixture("fifo", 1, 1);
        two.runAndGet(two.service().drain(LoopFixture.ANN, 0, true));
        two.submit(TestSpec.gpus(1));
        assertThat(two.row(1).heldGpus()).isEqualTo("1");
        assertThat(two.service().gpus().get(0).drained()).isTrue();
        assertThat(two.service().gpus().get(0).up()).isTrue();
        two.engine.sendEvent(new Event.NodeDown(0));
        two.engine.sendEvent(new Event.NodeUp(0));
        two.advance(1);
        two.submit(TestSpec.gpus(1));
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.restart();
        assertThat(two.service().gpus().get(0).drained()).isTrue();
        two.runAndGet(two.service().drain(LoopFixture.ANN, 0, false));
        assertThat(two.row(2).heldGpus()).isEqualTo("0");
    }

    @Test
    void failedNodeStaysDownAfterUndrain() {
        LoopFixture one = new LoopFixture("fifo", 1);
        one.runAndGet(one.service().drain(LoopFixture.ANN, 0, true));
        one.engine.sendEvent(new Event.NodeDown(0));
        one.advance(1);
        one.runAndGet(one.service().drain(LoopFixture.ANN, 0, false));
        one.submit(TestSpec.gpus(1));
        assertThat(one.row(1).state()).isEqualTo(JobState.PENDING);
        assertThat(one.service().gpus().get(0).up()).isFalse();

        one.engine.sendEvent(new Event.NodeUp(0));
        one.advance(1);
        assertThat(one.row(1).heldGpus()).isEqualTo("0");
    }

    @Test
    void changesAreInTheAuditTrail() {
        fixture.submit(TestSpec.gpus(1));
        fixture.runAndGet(fixture.service().hold(LoopFixture.ANN, 1));
        fixture.service().recordAudit(LoopFixture.ANN, "cancel", "job 8", "refused: not yours");
        fixture.runCycle();
        assertThat(fixture.store.audit())
                .extracting(row -> row.user() + " " + row.action() + " " + row.target() + " " + row.result())
                .containsExactly(
                        "ann submit job 1 granted", "ann hold job 1 granted", "ann cancel job 8 refused: not yours");
    }

    @Test
    void heldJobStaysPendingUntilReleased() {
        fixture.submit(TestSpec.gpus(1).held());
        assertThat(fixture.row(1).onHold()).isTrue();
        assertThat(fixture.history()).startsWith("ClusterChanged by engine", "Submitted 1 by ann", "Held 1 by ann");
        fixture.runAndGet(fixture.service().release(LoopFixture.ANN, 1));
        assertThat(fixture.row(1).onHold()).isFalse();
    }

    @Test
    void updateChangesTheJob() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        fixture.runAndGet(
                fixture.service().update(LoopFixture.ANN, 2, new JobPatch("other", "research", 7, 60_000L, null, 3)));
        JobRow row = fixture.row(2);
        assertThat(row.name()).isEqualTo("other");
        assertThat(row.queue()).isEqualTo("research");
        assertThat(row.priority()).isEqualTo(7);
        assertThat(fixture.history()).endsWith("JobUpdated 2 by ann");
        RequestRejectedException wrong = fixture.rejection(fixture.service()
                .update(LoopFixture.ANN, 2, new JobPatch(null, null, 1_000_000_000, null, null, null)));
        assertThat(wrong.category()).isEqualTo(Category.INVALID);
    }

    @Test
    void changedTimeLimitIsSentOnlyForRunningJobs() {
        fixture.submit(TestSpec.gpus(2), TestSpec.gpus(2));
        fixture.engine.running(1);
        fixture.runCycle();
        JobPatch limit = new JobPatch(null, null, null, null, 60_000L, null);
        fixture.runAndGet(fixture.service().update(LoopFixture.ANN, 1, limit));
        fixture.runAndGet(fixture.service().update(LoopFixture.ANN, 1, limit));
        fixture.runAndGet(fixture.service().update(LoopFixture.ANN, 2, limit));
        fixture.runAndGet(fixture.service().update(LoopFixture.ANN, 1, new JobPatch(null, null, null, null, 0L, null)));
        assertThat(fixture.engine.orders.stream().filter(order -> order.startsWith("limit")))
                .containsExactly("limit 1.1 60000", "limit 1.1 0");
    }

    /** The reports of a job are kept and shown without the values of its secrets. */
    @Test
    void secretsInReportsAndExitsAreMasked() throws Exception {
        JobSpec spec = JobFileParser.parse(new ObjectMapper()
                        .readTree("{\"run\":\"true\",\"env\":{\"MY\":\"hunter2hunter2\",\"A_TOKEN\":\"swordfish\"},"
                                + "\"secrets\":[\"MY\"]}"))
                .get(0);
        long id = fixture.runAndGet(fixture.service().submit(LoopFixture.ANN, List.of(spec), null))
                .get(0);
        fixture.engine.running(id);
        fixture.runCycle();
        fixture.engine.send(new EngineEvent.ProgressReported(
                id,
                1,
                new EngineEvent.JobReport(fixture.now, "step", 3, 10, "loss-hunter2hunter2-swordfish", 0.5),
                fixture.now));
        fixture.advance(10);
        assertThat(String.valueOf(fixture.service().progress(id)))
                .contains("loss-********-********")
                .doesNotContain("hunter2", "swordfish");
        assertThat(fixture.runAndGet(fixture.service().explain(id)).toString()).doesNotContain("hunter2", "swordfish");
        fixture.engine.end(id, Outcome.FAILED, 1, "cannot log in with hunter2hunter2 or swordfish");
        fixture.advance(10);
        assertThat(fixture.row(id).detail()).contains("cannot log in with ******** or ********");
        assertThat(fixture.runAndGet(fixture.service().explain(id)).message()).doesNotContain("hunter2", "swordfish");
        assertThat(fixture.store.entries().toString()).doesNotContain("hunter2", "swordfish");
        assertThat(fixture.store.attempts(id).toString()).doesNotContain("hunter2", "swordfish");
        assertThat(fixture.row(id).detail() + fixture.row(id).name()).doesNotContain("hunter2", "swordfish");
    }

    /** Only the second report shows that job 1 is long, and no other event follows. */
    @Test
    void progressReportTriggersASchedulingCycle() {
        LoopFixture srtf = new LoopFixture("srtf", 2);
        srtf.submit(TestSpec.gpus(2));
        srtf.engine.running(1);
        srtf.advance(10);
        srtf.submit(TestSpec.gpus(1));
        srtf.engine.report(1, srtf.now, 1, 100_000);
        srtf.advance(30_000);
        srtf.engine.send(new EngineEvent.ProgressReported(
                1, 1, new EngineEvent.JobReport(srtf.now, "saved", 2, 100_000, "", 0), srtf.now));
        srtf.advance(30_000);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.RUNNING);
        srtf.engine.report(1, srtf.now, 3, 100_000);
        srtf.advance(10);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.PREEMPTING);
    }

    /** Output shows that job 1 is long; while that is uncertain, nothing is decided by it. */
    @Test
    void progressShownByOutputCountsOnceItIsCertainEnough() {
        LoopFixture srtf = new LoopFixture("srtf", 2);
        srtf.submit(TestSpec.gpus(2));
        srtf.engine.running(1);
        srtf.advance(10);
        srtf.submit(TestSpec.gpus(1));
        sendOutput(srtf, 1, 0, "low");
        srtf.advance(30_000);
        sendOutput(srtf, 2, 0, "low");
        srtf.advance(30_000);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.RUNNING);
        assertThat(srtf.runAndGet(srtf.service().explain(1)).message()).contains("at step 2 of perhaps 100000");
        sendOutput(srtf, 3, 100_000, "medium");
        srtf.advance(10);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.PREEMPTING);
    }

    private static void sendOutput(LoopFixture loop, long step, long total, String confidence) {
        loop.engine.send(new EngineEvent.ProgressReported(
                1,
                1,
                new EngineEvent.JobReport(
                        loop.now,
                        "step",
                        step,
                        total,
                        new EngineEvent.ReportedMetric("", Double.NaN),
                        new EngineEvent.ReportedFigures(0, 0, -1, 30_000_000, 0, 0)),
                new EngineEvent.ProgressOrigin("output", "step", confidence, 100_000),
                loop.now));
    }

    @Test
    void reportsOfTheScriptReplaceWhatItsOutputShows() {
        fixture.submit(TestSpec.gpus(1));
        fixture.engine.running(1);
        fixture.advance(10);
        sendOutput(fixture, 3, 100, "high");
        fixture.engine.report(1, fixture.now, 7, 200);
        sendOutput(fixture, 4, 100, "high");
        assertThat(fixture.service().progress(1)).satisfies(progress -> {
            assertThat(progress.step()).isEqualTo(7);
            assertThat(progress.origin().isOutput()).isFalse();
        });
    }

    @Test
    void queuesIncludeTheCountsOfTheirChildren() {
        fixture.runAndGet(fixture.service()
                .setQueues(
                        LoopFixture.ANN,
                        List.of(
                                new QueueRule("lab", 1, 2, 3),
                                new QueueRule("lab/a", 0, QueueRule.NO_LIMIT, 1),
                                new QueueRule("lab/b/c", 0, QueueRule.NO_LIMIT, 1))));
        fixture.submit(
                TestSpec.gpus(1).queue("lab/a"),
                TestSpec.gpus(1).queue("lab/b/c"),
                TestSpec.gpus(2).queue("lab"));
        assertThat(fixture.service().queues())
                .containsExactly(
                        new QueueState("lab", 1, 2, 3, 2, 1, 2),
                        new QueueState("lab/a", 0, -1, 1, 1, 0, 1),
                        new QueueState("lab/b", 0, -1, 1, 1, 0, 1),
                        new QueueState("lab/b/c", 0, -1, 1, 1, 0, 1));
    }

    @Test
    void jobWithAnOptionThatTheEngineLacksIsRejected() {
        RequestRejectedException rejection = fixture.rejection(fixture.service()
                .submit(LoopFixture.ANN, LoopFixture.specs(TestSpec.gpus(1).image("registry/train:2")), null));

        assertThat(rejection.category()).isEqualTo(Category.INVALID);
        assertThat(rejection)
                .hasMessage("image cannot be used here: the engine hand has no container images. Leave it out, or"
                        + " submit to a daemon whose engine has them.");
    }
}
