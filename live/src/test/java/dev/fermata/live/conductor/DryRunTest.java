package dev.fermata.live.conductor;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Reason;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What would come of a job, without anything coming of it. */
class DryRunTest {
    private final Stage stage = new Stage("srtf", 2);

    private Prospect tried(Specs spec) throws Exception {
        CompletableFuture<Prospect> answer = stage.desk().dryRun(Stage.ANN, spec.spec());
        stage.turn();
        return answer.get(20, SECONDS);
    }

    @Test
    void freeGpusAreNamedAndNothingChanges() throws Exception {
        int before = stage.store.lines().size();
        Prospect prospect = tried(Specs.gpus(2));
        assertThat(prospect.startsNow()).isTrue();
        assertThat(prospect.gpus()).containsExactly(0, 1);
        assertThat(stage.store.lines()).hasSize(before);
        assertThat(stage.submit(Specs.gpus(1))).containsExactly(1L);
    }

    @Test
    void impossibleJobIsSaidToBe() throws Exception {
        Prospect prospect = tried(Specs.gpus(3));
        assertThat(prospect.feasible()).isFalse();
        assertThat(prospect.reason()).isEqualTo(Reason.UNSATISFIABLE);
        assertThat(prospect.message()).contains("at most 2");
    }

    @Test
    void whatASubmissionWouldBeRefusedForATrialIs() {
        stage.settings = stage.settings.withLiveJobs(1);
        stage.restart();
        stage.submit(Specs.gpus(1));
        Refusal full =
                stage.refusal(stage.desk().dryRun(Stage.ANN, Specs.gpus(1).spec()));
        assertThat(full.kind()).isEqualTo(Refusal.Kind.BUSY);
        Refusal submitted = stage.refusal(stage.desk().submit(Stage.ANN, Stage.jobs(Specs.gpus(1)), null));
        assertThat(full.getMessage()).isEqualTo(submitted.getMessage());
    }

    @Test
    void waitingJobSaysWhy() throws Exception {
        stage.submit(Specs.gpus(2));
        Prospect prospect = tried(Specs.gpus(2));
        assertThat(prospect.feasible()).isTrue();
        assertThat(prospect.startsNow()).isFalse();
        assertThat(prospect.reason()).isNotNull();
    }

    @Test
    void victimsAreNamedBeforeAnybodyIsPaused() throws Exception {
        stage.submit(Specs.gpus(2).named("long"));
        stage.engine.running(1);
        stage.later(10);
        stage.engine.report(1, stage.now, 1, 10_000);
        stage.later(60_000);
        stage.engine.report(1, stage.now, 2, 10_000);
        stage.later(1_000);
        Prospect prospect = tried(Specs.gpus(1).named("short"));
        assertThat(prospect.pauses()).singleElement().isEqualTo(new Prospect.Victim(1, "long", "ann", 2));
        assertThat(prospect.gpus()).hasSize(1);
        assertThat(stage.engine.orders).noneMatch(order -> order.startsWith("pause"));
    }
}
