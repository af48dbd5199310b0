package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.After;
import dev.fermata.live.conductor.Refusal.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every job can say why it is where it is, and what would change that. */
class ExplainTest {
    private final Stage stage = new Stage("fifo", 2);

    private Explanation explain(long id) {
        return stage.get(stage.desk().explain(id));
    }

    @Test
    void pendingJobNamesReasonNumbersAndWayOut() {
        stage.submit(Specs.gpus(2), Specs.gpus(2), Specs.gpus(1));
        stage.later(4_000);
        Explanation second = explain(2);
        assertThat(second.state()).isEqualTo(JobState.PENDING);
        assertThat(second.reason()).isEqualTo("RESOURCES");
        assertThat(second.evidence())
                .containsEntry("neededGpus", 2L)
                .containsEntry("availableGpus", 0L)
                .containsEntry("waitedSeconds", 4.0);
        assertThat(second.unblockedBy()).isEqualTo("jobs ending on 2 more GPUs");
        assertThat(second.position()).isEqualTo(1);
        assertThat(explain(3).position()).isEqualTo(2);
    }

    @Test
    void aJobThatWaitsForADrainedNodeNamesItAndTheWayOut() {
        Stage two = new Stage("fifo", 1, 1);
        two.submit(Specs.gpus(1));
        two.get(two.desk().drain(Stage.ANN, 1, true));
        two.submit(Specs.gpus(1), Specs.gpus(1).held());
        Explanation why = two.get(two.desk().explain(2));
        assertThat(why.message()).contains("1 is out of service");
        assertThat(why.evidence()).containsEntry("outOfServiceGpus", 1);
        assertThat(why.unblockedBy()).startsWith("node1 is drained; fermata undrain node1; or jobs ending on 1 more");
        assertThat(two.get(two.desk().explain(3)).unblockedBy()).doesNotContain("drain");
        two.get(two.desk().drain(Stage.ANN, 1, false));
        assertThat(two.get(two.desk().explain(2)).message()).contains("is being started");
    }

    @Test
    void aDrainedNodeWhoseGpusAreAllInUseIsNoReason() {
        Stage two = new Stage("fifo", 1, 1);
        two.submit(Specs.gpus(1), Specs.gpus(1));
        two.get(two.desk().drain(Stage.ANN, 1, true));
        two.submit(Specs.gpus(1));
        assertThat(two.get(two.desk().explain(3)).unblockedBy()).doesNotContain("drained");
    }

    @Test
    void failedNodesAndGpusAreNamed() {
        Stage two = new Stage("fifo", 1, 2);
        two.engine.happened(new Event.NodeDown(0));
        two.engine.happened(new Event.GpuDown(2));
        two.turn();
        two.submit(Specs.gpus(1), Specs.gpus(1));
        Explanation why = two.get(two.desk().explain(2));
        assertThat(why.evidence()).containsEntry("outOfServiceGpus", 2);
        assertThat(why.unblockedBy()).contains("node0 has failed").contains("GPU 2 of node1 is out of service");
    }

    @Test
    void heldAndDependentJobsSaySo() {
        stage.submit(Specs.gpus(1).held());
        stage.submit(Specs.gpus(1).after(new After(1, After.Wanted.SUCCESS)));
        assertThat(explain(1).reason()).isEqualTo("HELD");
        assertThat(explain(1).unblockedBy()).contains("release 1");
        assertThat(explain(2).reason()).isEqualTo("DEPENDENCY");
        assertThat(explain(2).unblockedBy()).contains("job 1");
    }

    @Test
    void jobsOnGpusSayWhereAndHowFar() {
        stage.submit(Specs.gpus(2));
        assertThat(explain(1).message()).isEqualTo("is being started on GPUs 0,1");
        stage.engine.running(1);
        stage.later(10);
        stage.engine.report(1, stage.now, 12, 100);
        stage.later(2_000);
        Explanation running = explain(1);
        assertThat(running.message()).isEqualTo("runs on GPUs 0,1, at step 12 of 100");
        assertThat(running.evidence()).containsEntry("step", 12L).containsEntry("sinceSeconds", 2.0);
        assertThat(running.position()).isZero();
        assertThat(stage.desk().progress(1)).isNotNull();
    }

    @Test
    void endedJobsSayHow() {
        stage.submit(Specs.gpus(1));
        stage.engine.left(1, Outcome.FAILED, 7, "no such file");
        stage.later(10);
        Explanation ended = explain(1);
        assertThat(ended.message()).isEqualTo("has failed with exit code 7: no such file");
        assertThat(ended.evidence()).containsEntry("exitCode", 7);
        assertThat(stage.refusal(stage.desk().explain(2)).kind()).isEqualTo(Kind.NOT_FOUND);
        assertThat(stage.desk().progress(1)).isNull();
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void everyReasonHasAWayOut(Reason reason) {
        stage.submit(Specs.gpus(2), Specs.gpus(1));
        Verdict verdict = new Verdict(2, reason, 4, 1, 3, stage.now + 90_000);
        Explanation said = Explainer.pending(stage.row(2), verdict, 1, stage.now);
        assertThat(said.reason()).isEqualTo(reason.name());
        assertThat(said.unblockedBy()).isNotBlank();
        assertThat(said.message()).isNotBlank();
        assertThat(said.evidence()).containsEntry("expectedToEndInSeconds", 90.0);
    }
}
