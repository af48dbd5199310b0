package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.Shortage;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindNotes;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Jobs share a GPU as soon as their kind is known, never before; who needs more than it was promised is tried once more. */
class PromisesTest {
    private static final int WHOLE = Stage.TYPE.memoryMib();

    private final Stage stage = new Stage("fermata:pays=0", 1);

    /** One job of the kind that all of these are has ended, and showed so much. */
    private void teach(int peakMib, int busyPermille) {
        stage.submit(Specs.gpus(1));
        stage.engine.running(1);
        stage.later(1000);
        stage.engine.showed(1, Outcome.COMPLETED, peakMib, busyPermille, Shortage.NONE);
        stage.later(10);
    }

    private void start(long... jobs) {
        for (long job : jobs) {
            assertThat(stage.row(job).state()).as("job %s", job).isEqualTo(JobState.STARTING);
            stage.engine.running(job);
        }
        stage.later(10);
    }

    @Test
    void unknownJobsNeverShare() {
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        assertThat(stage.row(1).state()).isEqualTo(JobState.STARTING);
        assertThat(stage.row(2).state()).isEqualTo(JobState.PENDING);
        assertThat(promised(1)).isZero();
    }

    @Test
    void jobsOfAKnownKindShareInsideWhatTheyWerePromised() {
        teach(20_000, 300);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        start(2, 3);

        assertThat(promised(2)).isEqualTo(21_000);
        assertThat(promised(3)).isEqualTo(21_000);
        assertThat(stage.desk().gpus().get(0).jobs()).containsExactly(2L, 3L);
    }

    @Test
    void whoSharedBeforeACrashTeachesNothingThatOthersSlowedDown() {
        teach(20_000, 300);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        start(2, 3);
        stage.restart();
        stage.engine.showed(2, Outcome.COMPLETED, 19_000, 900, Shortage.NONE);
        stage.later(10);

        assertThat(known().spread(Figure.PEAK_MEMORY_MIB).count()).isEqualTo(2);
        assertThat(known().spread(Figure.BUSY_PERMILLE).count()).isEqualTo(1);
    }

    @Test
    void whatDoesNotFitTogetherIsKeptApart() {
        teach(45_000, 100);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        start(2);
        assertThat(stage.row(3).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void jobsThatKeepAGpuBusyAreKeptApart() {
        teach(10_000, 1000);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        start(2);
        assertThat(stage.row(3).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void whoRanOutWithinAPromiseIsTriedOnceMoreWithAWholeGpuAndTheKindIsTaught() {
        teach(20_000, 300);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        start(2, 3);
        stage.engine.showed(2, Outcome.OOM, 22_000, -1, Shortage.GPU_MEMORY);
        stage.later(10);
        assertThat(stage.row(2).state()).as("somebody else is on the GPU").isEqualTo(JobState.PENDING);
        assertThat(known().most(Figure.FAILED_MEMORY_MIB)).isEqualTo(21_000);

        stage.engine.left(3, Outcome.COMPLETED, 0, "");
        stage.later(10);
        start(2);
        assertThat(promised(2)).isEqualTo(WHOLE);
        stage.submit(Specs.gpus(1));
        assertThat(stage.row(4).state()).as("a whole GPU is a whole GPU").isEqualTo(JobState.PENDING);

        stage.engine.showed(2, Outcome.OOM, WHOLE, -1, Shortage.GPU_MEMORY);
        stage.later(10);
        assertThat(stage.row(2).state()).isEqualTo(JobState.OOM);
        assertThat(stage.row(2).detail()).contains("all memory of its GPU");
    }

    @Test
    void whoHadAWholeGpuIsNotTriedAgain() {
        stage.submit(Specs.gpus(1));
        stage.engine.running(1);
        stage.later(10);
        stage.engine.showed(1, Outcome.OOM, -1, -1, Shortage.GPU_MEMORY);
        stage.later(10);
        assertThat(stage.row(1).state()).isEqualTo(JobState.OOM);
    }

    @Test
    void whoRanOutOfTheMachinesMemoryIsTriedOnce() {
        stage.submit(Specs.gpus(1));
        for (JobState after : new JobState[] {JobState.STARTING, JobState.OOM}) {
            stage.engine.running(1);
            stage.later(10);
            stage.engine.showed(1, Outcome.OOM, -1, -1, Shortage.MEMORY);
            stage.later(10);
            assertThat(stage.row(1).state()).isEqualTo(after);
        }
    }

    @Test
    void whoWaitsHearsWhatOthersShowedAndWhatPeopleSay() {
        stage.submit(Specs.gpus(1), Specs.gpus(1), Specs.gpus(1));
        start(1);
        stage.engine.showed(1, Outcome.COMPLETED, 20_000, 300, Shortage.NONE);
        stage.later(10);
        stage.later(10);
        start(2, 3);
        assertThat(promised(3)).isEqualTo(21_000);

        Kind kind = kind();
        stage.get(stage.desk()
                .retell(Stage.ANN, "profiles", Map.of(kind, n -> n.saying(Map.of(Figure.PEAK_MEMORY_MIB, 30_000L)))));
        stage.submit(Specs.gpus(1));
        stage.engine.left(2, Outcome.COMPLETED, 0, "");
        stage.engine.left(3, Outcome.COMPLETED, 0, "");
        stage.later(10);
        assertThat(promised(4)).isEqualTo(30_000);
        stage.restart();
        assertThat(promised(4)).isEqualTo(30_000);
        assertThat(known().said()).containsEntry(Figure.PEAK_MEMORY_MIB, 30_000L);

        stage.get(stage.desk().retell(Stage.ANN, "forget", Map.of(kind, n -> KindNotes.NONE)));
        assertThat(stage.get(stage.desk().profiles())).isEmpty();
    }

    private int promised(long job) {
        return Objects.requireNonNull(stage.engine.on.get(job)).promisedMib();
    }

    private Kind kind() {
        Set<Kind> kinds = stage.get(stage.desk().profiles()).keySet();
        assertThat(kinds).hasSize(1);
        return kinds.iterator().next();
    }

    private KindNotes known() {
        return Objects.requireNonNull(stage.get(stage.desk().profiles()).get(kind()));
    }
}
