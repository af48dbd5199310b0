package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.model.After;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.store.JobRow;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a conductor that begins anew makes of the history of the one before it. */
class RecoveryTest {
    private final Stage stage = new Stage("srtf", 2);

    @Test
    void goesOnWhereTheOtherWas() {
        stage.submit(Specs.gpus(1), Specs.gpus(1), Specs.gpus(1));
        stage.engine.running(1);
        stage.later(10);
        stage.restart();
        assertThat(stage.engine.orders)
                .filteredOn(order -> order.startsWith("start"))
                .hasSize(2);
        stage.engine.left(1, Outcome.COMPLETED, 0, "");
        stage.later(10);
        assertThat(stage.engine.orders).last().isEqualTo("start 3.1 on [0]");
        assertThat(stage.submit(Specs.gpus(1))).containsExactly(4L);
        assertThat(stage.store.lines())
                .extracting(line -> line.seq())
                .isSorted()
                .doesNotHaveDuplicates();
    }

    @Test
    void startThatNeverReachedTheEngineIsLostAndTriedAgain() {
        stage.submit(Specs.gpus(1));
        stage.engine.on.clear(); // the daemon died between the commit and the order
        stage.restart();
        assertThat(stage.engine.orders).endsWith("missing 1.1", "start 1.2 on [0]");
        assertThat(stage.row(1).attempt()).isEqualTo(2);
        assertThat(stage.store.runs(1)).extracting(run -> run.outcome()).containsExactly("LOST", "");
    }

    @Test
    void jobThatEndedWhileNoDaemonWasThereEndedThen() {
        stage.submit(Specs.gpus(1), Specs.gpus(1), Specs.gpus(1));
        stage.engine.running(1);
        stage.engine.running(2);
        stage.later(10);
        long running = stage.now;
        stage.now += 3_600_000;
        stage.engine.leftUnseen(1, Outcome.COMPLETED, running + 4_000);
        stage.engine.leftUnseen(
                2, Outcome.FAILED, running - 4_000); // a clock that was set back, or a file that was touched
        stage.restart();
        JobRow first = stage.row(1);
        assertThat(first.state()).isEqualTo(JobState.COMPLETED);
        assertThat(first.finishedMillis()).isEqualTo(running + 4_000);
        assertThat(first.runMillis()).isEqualTo(4_000);
        assertThat(stage.store.runs(1).get(0).leftMillis()).isEqualTo(running + 4_000);
        assertThat(stage.row(2).finishedMillis()).isEqualTo(running);
        assertThat(stage.row(3).firstStartMillis()).isEqualTo(stage.now);
    }

    @Test
    void ordersToLeaveAreGivenAgain() {
        stage.submit(Specs.gpus(2));
        stage.engine.running(1);
        stage.later(10);
        stage.get(stage.desk().cancel(Stage.ANN, 1));
        stage.restart();
        assertThat(stage.engine.orders).endsWith("kill 1.1", "kill 1.1");
        stage.engine.left(1, Outcome.CANCELLED, null, "");
        stage.later(10);
        assertThat(stage.row(1).state()).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void pauseIsRememberedWithItsReason() {
        stage.pauseFirstForSecond("requeue");
        stage.restart();
        assertThat(stage.engine.orders).endsWith("pause 1.1", "pause 1.1");
        assertThat(stage.get(stage.desk().explain(1)).message()).contains("for job 2");
        assertThat(stage.desk().gpus()).anyMatch(gpu -> gpu.promisedTo() == 2);
    }

    @Test
    void imageAndLinesAfterItGiveTheSameWorld() {
        stage.settings = stage.settings.withImageEveryLines(3);
        stage.restart();
        stage.get(stage.desk().setQueues(Stage.ANN, List.of(new QueueRule("research", 1, 2, 2))));
        stage.submit(
                Specs.gpus(1).queue("research/nlp"),
                Specs.gpus(2),
                Specs.gpus(1).held());
        assertThat(stage.store.hasImage()).isTrue();
        stage.engine.running(1);
        stage.later(5);
        List<GpuState> gpus = stage.desk().gpus();
        List<QueueState> queues = stage.desk().queues();
        stage.restart();
        assertThat(stage.desk().gpus()).isEqualTo(gpus);
        assertThat(stage.desk().queues()).isEqualTo(queues);
        assertThat(stage.row(3).onHold()).isTrue();
    }

    @Test
    void timeNeverGoesBackBehindTheHistory() {
        stage.submit(Specs.gpus(1), Specs.gpus(2));
        long behind = stage.now - 500_000; // the wall clock was set back while the daemon was down
        try (Conductor conductor =
                stage.another(new SteadyClock(() -> behind, System::nanoTime)).start()) {
            conductor.ready().join();
            conductor.desk().cancel(Stage.ANN, 2).join();
            assertThat(stage.row(2).finishedMillis()).isGreaterThanOrEqualTo(stage.now);
        }
    }

    @Test
    void jobsThatAShrunkClusterCannotHoldAreCancelled() {
        stage.settings = stage.settings.withImageEveryLines(1);
        stage.restart();
        stage.submit(Specs.gpus(2).held(), Specs.gpus(1).held());
        Stage small = new Stage("srtf", stage.store, 1);
        assertThat(small.row(1).state()).isEqualTo(JobState.CANCELLED);
        assertThat(small.row(1).detail()).contains("this cluster has changed").contains("at most 1");
        small.get(small.desk().release(Stage.ANN, 2));
        assertThat(small.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void jobsOnGpusThatAreGoneAreNotForgotten() {
        stage.submit(Specs.gpus(2));
        assertThatThrownBy(() -> new Stage("srtf", stage.store, 1))
                .hasMessageContaining("cannot be continued on this cluster (1 GPUs)")
                .hasMessageContaining("Start the daemon with the GPUs it had before");
    }

    @Test
    void historyThatDoesNotFitItsRowsStopsEverything() {
        stage.submit(Specs.gpus(1));
        stage.store.forgetJob(1);
        assertThatThrownBy(stage::restart).hasMessageContaining("the history has job 1");
    }

    @Test
    void cascadeThatWasCutOffIsFinished() {
        stage.submit(Specs.gpus(1));
        stage.submit(Specs.gpus(1).after(new After(1, After.Wanted.SUCCESS)));
        JobRow waiting = stage.row(2);
        stage.engine.left(1, Outcome.FAILED, 1, "");
        stage.later(10);
        assertThat(stage.row(2).state()).isEqualTo(JobState.CANCELLED);
        stage.store.cutLastLine(waiting);
        stage.restart();
        assertThat(stage.row(2).state()).isEqualTo(JobState.CANCELLED);
        assertThat(stage.row(2).detail()).contains("job 1 has ended as FAILED");
        assertThat(stage.engine.on).isEmpty();
    }

    @Test
    void whoWaitedForAnEndThatCameGoesOn() {
        stage.submit(Specs.gpus(1));
        stage.submit(Specs.gpus(1).after(new After(1, After.Wanted.FAILURE)).held());
        stage.engine.left(1, Outcome.FAILED, 1, "");
        stage.later(10);
        stage.restart();
        stage.get(stage.desk().release(Stage.ANN, 2));
        assertThat(stage.row(2).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void jobsOnGpusElsewhereAreNotStartedHere() {
        stage.submit(Specs.gpus(1));
        Stage other = elsewhere();
        assertThatThrownBy(other::restart)
                .hasMessageContaining("1 job is on GPUs at the engine hand")
                .hasMessageContaining("--abandon");
        assertThat(other.engine.orders).isEmpty();
        assertThat(stage.row(1).attempt()).isEqualTo(1);
        stage.restart(); // at home nothing was noticed of it
        assertThat(stage.row(1).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void jobsElsewhereAreStartedAnewOnceTheyAreGivenUp() {
        stage.submit(Specs.gpus(1));
        Stage other = elsewhere();
        other.settings = other.settings.withAbandon(true);
        other.restart();
        assertThat(other.engine.orders).containsExactly("missing 1.1", "start 1.2 on [0]");
        assertThatThrownBy(stage::restart).hasMessageContaining("on GPUs at");
    }

    @Test
    void historyWithNothingOnGpusMayMove() {
        stage.submit(Specs.gpus(1).held());
        Stage other = elsewhere();
        other.restart();
        other.get(other.desk().release(Stage.ANN, 1));
        assertThat(other.engine.orders).containsExactly("start 1.1 on [0]");
        assertThatThrownBy(stage::restart).hasMessageContaining("on GPUs at");
    }

    /** The same history, about to be led from another place. */
    private Stage elsewhere() {
        return new Stage("srtf", stage.store, "elsewhere", 2);
    }
}
