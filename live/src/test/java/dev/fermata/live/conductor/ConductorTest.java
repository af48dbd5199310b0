package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.After;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.conductor.Refusal.Kind;
import dev.fermata.live.engine.News;
import dev.fermata.live.spec.JobFile;
import dev.fermata.live.spec.JobPatch;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RunRow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is asked at the desk, and what comes of it. */
class ConductorTest {
    private final Stage stage = new Stage("fifo", 2);

    @Test
    void submittedJobStartsAfterItIsDurable() {
        CompletableFuture<List<Long>> answer = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null);
        assertThat(answer).isNotDone();
        assertThat(stage.engine.orders).isEmpty();
        stage.turn();
        assertThat(answer.join()).containsExactly(1L);
        assertThat(stage.engine.orders).containsExactly("start 1.1 on [0]");
        assertThat(stage.history()).containsExactly("Submitted 1 by ann", "Started 1 by policy");
        assertThat(stage.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(stage.row(1).held()).isEqualTo("0");
    }

    @Test
    void lifeOfAJobIsInItsRows() {
        stage.submit(Specs.gpus(2), Specs.gpus(1));
        stage.engine.running(1);
        stage.later(500);
        stage.engine.left(1, Outcome.COMPLETED, 0, "");
        stage.later(4_000);
        JobRow first = stage.row(1);
        assertThat(first.state()).isEqualTo(JobState.COMPLETED);
        assertThat(first.runMillis()).isEqualTo(4_000);
        assertThat(first.waitMillis()).isZero();
        assertThat(first.exitCode()).isZero();
        assertThat(first.held()).isEmpty();
        assertThat(first.finishedMillis() - first.submittedMillis()).isEqualTo(4_500);
        JobRow second = stage.row(2);
        assertThat(second.state()).isEqualTo(JobState.STARTING);
        assertThat(second.waitMillis()).isEqualTo(4_500);
        RunRow run = stage.store.runs(1).get(0);
        assertThat(run.outcome()).isEqualTo("COMPLETED");
        assertThat(run.leftMillis() - run.runningMillis()).isEqualTo(4_000);
    }

    @Test
    void everythingThatArrivedIsOneTransaction() {
        int before = stage.store.appends();
        for (int i = 0; i < 50; i++) {
            assertThat(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null))
                    .isNotDone();
        }
        stage.turn();
        assertThat(stage.store.appends()).isEqualTo(before + 1);
        assertThat(stage.store.lines()).hasSize(52);
    }

    @Test
    void sameKeyGivesTheSameJobs() {
        CompletableFuture<List<Long>> one = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "k");
        CompletableFuture<List<Long>> two = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "k");
        assertThat(stage.get(one)).containsExactly(1L);
        assertThat(two.join()).containsExactly(1L);
        stage.restart();
        assertThat(stage.get(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "k")))
                .containsExactly(1L);
        Refusal other = stage.refusal(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(2)), "k"));
        assertThat(other.kind()).isEqualTo(Kind.CONFLICT);
        Actor bob = new Actor("bob", "USER", "");
        assertThat(stage.get(stage.desk().submit(bob, Stage.jobs(Specs.gpus(2)), "k")))
                .containsExactly(2L);
    }

    @Test
    void storeThatCannotBeReadIsAskedOnceATurn() {
        stage.store.unreadable = true;
        CompletableFuture<List<Long>> one = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "k");
        CompletableFuture<List<Long>> two = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "l");
        CompletableFuture<List<Long>> noKey = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null);
        assertThat(stage.refusal(one).kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(stage.refusal(two).kind()).isEqualTo(Kind.UNAVAILABLE);
        assertThat(noKey.join()).containsExactly(1L);
        assertThat(stage.store.lookups).isEqualTo(1);
        stage.store.unreadable = false;
        assertThat(stage.get(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), "l")))
                .containsExactly(2L);
    }

    @Test
    void impossibleJobIsRefusedAtTheDoorUnlessHeld() {
        Refusal never = stage.refusal(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(3)), null));
        assertThat(never.kind()).isEqualTo(Kind.INVALID);
        assertThat(never).hasMessageContaining("at most 2").hasMessageContaining("2 × H100");
        assertThat(stage.submit(Specs.gpus(3).held())).containsExactly(1L);
        assertThat(stage.row(1).state()).isEqualTo(JobState.UNSATISFIABLE);
        assertThat(stage.submit(Specs.gpus(1))).containsExactly(2L);
    }

    @Test
    void engineMayRefuseAJobAtTheDoor() {
        Actor stranger = new Actor("stranger", "USER", "");
        Refusal refusal = stage.refusal(stage.desk().submit(stranger, Stage.jobs(Specs.gpus(1)), null));
        assertThat(refusal.kind()).isEqualTo(Kind.INVALID);
    }

    @Test
    void tooManyLiveJobsAreBusy() {
        stage.settings = stage.settings.withLiveJobs(2);
        stage.restart();
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        Refusal full = stage.refusal(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null));
        assertThat(full.kind()).isEqualTo(Kind.BUSY);
    }

    @Test
    void fullInboxIsBusyAtOnceButNewsIsKept() {
        stage.settings = stage.settings.withInbox(2);
        stage.restart();
        stage.submit(Specs.gpus(2));
        assertThat(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null))
                .isNotDone();
        assertThat(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null))
                .isNotDone();
        CompletableFuture<List<Long>> third = stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null);
        assertThat(third).isCompletedExceptionally();
        assertThat(stage.refusal(third).kind()).isEqualTo(Kind.BUSY);
        stage.engine.running(1);
        stage.turn();
        assertThat(stage.row(1).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void cancelEndsPendingAtOnceAndRunningWhenItHasLeft() {
        stage.submit(Specs.gpus(2), Specs.gpus(2));
        stage.engine.running(1);
        stage.get(stage.desk().cancel(Stage.ANN, 2));
        assertThat(stage.row(2).state()).isEqualTo(JobState.CANCELLED);
        stage.get(stage.desk().cancel(Stage.ANN, 1));
        assertThat(stage.row(1).state()).isEqualTo(JobState.PAUSING);
        assertThat(stage.engine.orders).contains("kill 1.1");
        stage.engine.left(1, Outcome.CANCELLED, 143, "ended as asked");
        stage.later(10);
        assertThat(stage.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(stage.refusal(stage.desk().cancel(Stage.ANN, 1)).kind()).isEqualTo(Kind.CONFLICT);
        assertThat(stage.refusal(stage.desk().cancel(Stage.ANN, 9)).kind()).isEqualTo(Kind.NOT_FOUND);
    }

    @Test
    void endedDependenciesAreSettledAtTheDoor() {
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        stage.engine.left(1, Outcome.COMPLETED, 0, "");
        stage.engine.left(2, Outcome.FAILED, 1, "");
        // not told to the ledger yet: the request must see it all the same
        CompletableFuture<List<Long>> fine = stage.desk()
                .submit(
                        Stage.ANN,
                        Stage.jobs(Specs.gpus(1)
                                .after(new After(1, After.Wanted.SUCCESS), new After(2, After.Wanted.ANY))),
                        null);
        CompletableFuture<List<Long>> never = stage.desk()
                .submit(Stage.ANN, Stage.jobs(Specs.gpus(1).after(new After(2, After.Wanted.SUCCESS))), null);
        CompletableFuture<List<Long>> unknown =
                stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1).after(new After(77, After.Wanted.ANY))), null);
        assertThat(stage.get(fine)).containsExactly(3L);
        assertThat(stage.refusal(never)).hasMessageContaining("FAILED");
        assertThat(stage.refusal(unknown)).hasMessageContaining("no job 77");
        assertThat(stage.row(3).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void arrayIsSubmittedWholeWithConsecutiveIds() {
        assertThat(stage.submit(
                        Specs.gpus(1),
                        Specs.gpus(1).array(5, 2, 1),
                        Specs.gpus(1).array(6, 2, 1)))
                .containsExactly(1L, 2L, 3L);
        assertThat(stage.row(1).arrayId()).isEqualTo(-1);
        assertThat(stage.row(3).arrayId()).isEqualTo(2);
        assertThat(stage.row(3).arrayIndex()).isEqualTo(6);
        Refusal part = stage.refusal(
                stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1).array(0, 2, 0)), null));
        assertThat(part).hasMessageContaining("whole");
    }

    @Test
    void drainedNodeGetsNoNewJobsAndStaysDrainedAcrossARestart() {
        Stage two = new Stage("fifo", 1, 1);
        two.get(two.desk().drain(Stage.ANN, 0, true));
        two.submit(Specs.gpus(1));
        assertThat(two.row(1).held()).isEqualTo("1");
        assertThat(two.desk().gpus().get(0).drained()).isTrue();
        assertThat(two.desk().gpus().get(0).up()).isTrue();
        two.engine.happened(new Event.NodeDown(0));
        two.engine.happened(new Event.NodeUp(0));
        two.later(1);
        two.submit(Specs.gpus(1));
        assertThat(two.row(2).state()).isEqualTo(JobState.PENDING);
        two.restart();
        assertThat(two.desk().gpus().get(0).drained()).isTrue();
        two.get(two.desk().drain(Stage.ANN, 0, false));
        assertThat(two.row(2).held()).isEqualTo("0");
    }

    @Test
    void changesAreInTheAuditTrail() {
        stage.submit(Specs.gpus(1));
        stage.get(stage.desk().hold(Stage.ANN, 1));
        stage.desk().note(Stage.ANN, "cancel", "job 8", "refused: not yours");
        stage.turn();
        assertThat(stage.store.audit())
                .extracting(row -> row.user() + " " + row.action() + " " + row.target() + " " + row.result())
                .containsExactly(
                        "ann submit job 1 granted", "ann hold job 1 granted", "ann cancel job 8 refused: not yours");
    }

    @Test
    void heldJobWaitsForItsRelease() {
        stage.submit(Specs.gpus(1).held());
        assertThat(stage.row(1).onHold()).isTrue();
        assertThat(stage.history()).startsWith("Submitted 1 by ann", "Held 1 by ann");
        stage.get(stage.desk().release(Stage.ANN, 1));
        assertThat(stage.row(1).onHold()).isFalse();
    }

    @Test
    void updateDescribesTheJobAnew() {
        stage.submit(Specs.gpus(2), Specs.gpus(2));
        stage.get(stage.desk().update(Stage.ANN, 2, new JobPatch("other", "research", 7, 60_000L, null, 3)));
        JobRow row = stage.row(2);
        assertThat(row.name()).isEqualTo("other");
        assertThat(row.queue()).isEqualTo("research");
        assertThat(row.priority()).isEqualTo(7);
        assertThat(stage.history()).endsWith("Changed 2 by ann");
        Refusal wrong = stage.refusal(
                stage.desk().update(Stage.ANN, 2, new JobPatch(null, null, 1_000_000_000, null, null, null)));
        assertThat(wrong.kind()).isEqualTo(Kind.INVALID);
    }

    @Test
    void aChangedLimitReachesTheProcessOfAJobThatRunsAndOnlyThat() {
        stage.submit(Specs.gpus(2), Specs.gpus(2));
        stage.engine.running(1);
        stage.turn();
        JobPatch limit = new JobPatch(null, null, null, null, 60_000L, null);
        stage.get(stage.desk().update(Stage.ANN, 1, limit));
        stage.get(stage.desk().update(Stage.ANN, 1, limit));
        stage.get(stage.desk().update(Stage.ANN, 2, limit));
        stage.get(stage.desk().update(Stage.ANN, 1, new JobPatch(null, null, null, null, 0L, null)));
        assertThat(stage.engine.orders.stream().filter(order -> order.startsWith("limit")))
                .containsExactly("limit 1.1 60000", "limit 1.1 0");
    }

    /** What a job prints about itself is kept and shown without the values of its secrets. */
    @Test
    void secretsInReportsAndExitsReachNeitherStoreNorApi() throws Exception {
        JobSpec spec = JobFile.read(new ObjectMapper()
                        .readTree("{\"run\":\"true\",\"env\":{\"MY\":\"hunter2hunter2\",\"A_TOKEN\":\"swordfish\"},"
                                + "\"secrets\":[\"MY\"]}"))
                .get(0);
        long id = stage.get(stage.desk().submit(Stage.ANN, List.of(spec), null)).get(0);
        stage.engine.running(id);
        stage.turn();
        stage.engine.tell(new News.Progress(
                id, 1, new News.Report(stage.now, "step", 3, 10, "loss-hunter2hunter2-swordfish", 0.5), stage.now));
        stage.later(10);
        assertThat(String.valueOf(stage.desk().progress(id)))
                .contains("loss-********-********")
                .doesNotContain("hunter2", "swordfish");
        assertThat(stage.get(stage.desk().explain(id)).toString()).doesNotContain("hunter2", "swordfish");
        stage.engine.left(id, Outcome.FAILED, 1, "cannot log in with hunter2hunter2 or swordfish");
        stage.later(10);
        assertThat(stage.row(id).detail()).contains("cannot log in with ******** or ********");
        assertThat(stage.get(stage.desk().explain(id)).message()).doesNotContain("hunter2", "swordfish");
        assertThat(stage.store.lines().toString()).doesNotContain("hunter2", "swordfish");
        assertThat(stage.store.runs(id).toString()).doesNotContain("hunter2", "swordfish");
        assertThat(stage.row(id).detail() + stage.row(id).name()).doesNotContain("hunter2", "swordfish");
    }

    /** Nothing else happens: that job 1 is long is known from its second report on. */
    @Test
    void whatAScriptSaysIsActedOnAtOnce() {
        Stage srtf = new Stage("srtf", 2);
        srtf.submit(Specs.gpus(2));
        srtf.engine.running(1);
        srtf.later(10);
        srtf.submit(Specs.gpus(1));
        srtf.engine.report(1, srtf.now, 1, 100_000);
        srtf.later(30_000);
        srtf.engine.tell(new News.Progress(1, 1, new News.Report(srtf.now, "saved", 2, 100_000, "", 0), srtf.now));
        srtf.later(30_000);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.RUNNING);
        srtf.engine.report(1, srtf.now, 3, 100_000);
        srtf.later(10);
        assertThat(srtf.row(1).state()).isEqualTo(JobState.PAUSING);
    }

    @Test
    void queuesCountWhatIsBelowThem() {
        stage.get(stage.desk().setQueues(Stage.ANN, List.of(new QueueRule("lab", 1, 2, 3))));
        stage.submit(
                Specs.gpus(1).queue("lab/a"),
                Specs.gpus(1).queue("lab/b/c"),
                Specs.gpus(2).queue("lab"));
        assertThat(stage.desk().queues())
                .containsExactly(
                        new QueueState("lab", 1, 2, 3, 2, 1, 2),
                        new QueueState("lab/a", 0, -1, 1, 1, 0, 1),
                        new QueueState("lab/b", 0, -1, 1, 1, 0, 1),
                        new QueueState("lab/b/c", 0, -1, 1, 1, 0, 1));
    }
}
