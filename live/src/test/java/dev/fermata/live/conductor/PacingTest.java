package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Figure;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindNotes;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.store.Line;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How fast jobs are beside each other is told, learned, and used for the next pair; also by the daemon that comes after a crash. */
class PacingTest {
    private static final Measured TELLING =
            new Measured(-1, -1, -1, -1, -1, -1, -1, -1, 100_000, 300, 10_000, -1, -1, -1, 50, -1, 100_000);

    private final Stage stage = new Stage("fermata:pays=0", 1);

    /** Jobs of this kind, of which one has ended that showed a step of 100 ms, a busy share of 0.3 and 10 GB. */
    private void known() {
        stage.submit(Specs.gpus(1));
        stage.engine.running(1);
        stage.later(1000);
        stage.engine.left(1, Outcome.COMPLETED, new Usage(0, 1000, 0, 0, 0, 1000), TELLING);
        stage.later(10);
    }

    /** Two of them on one GPU, both making steps. */
    private void pair() {
        known();
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        stage.engine.running(2);
        stage.engine.running(3);
        stage.later(10);
        stepping(100, 3, 2, 3);
    }

    /** Time passes in which these jobs make a step in so many milliseconds each. */
    private void stepping(long stepMillis, int steps, long... jobs) {
        for (int i = 0; i < steps; i++) {
            stage.now += stepMillis;
            step++;
            for (long job : jobs) {
                stage.engine.report(job, stage.now, step, 100_000);
            }
            stage.turn();
        }
    }

    private long step;

    private List<Long> told(long job) {
        FactLines facts = new FactLines(stage.engine.topology());
        return stage.store.lines().stream()
                .filter(line -> line.jobId() == job && line.kind().equals("Paced"))
                .map(line -> ((Fact.Paced) facts.fact(line).orElseThrow()).paceMicro())
                .toList();
    }

    private long believed(long job) {
        return Objects.requireNonNull(stage.conductor().ring().scheduler.job(job))
                .paceMicro();
    }

    private void leaves(long job, long usefulMillis) {
        stage.engine.left(job, Outcome.COMPLETED, new Usage(0, usefulMillis, 0, 0, 0, usefulMillis), TELLING);
        stage.later(10);
        stage.later(10);
    }

    @Test
    void asLongAsNothingIsMeasuredTheModelIsBelieved() {
        pair();
        stage.later(Pacing.LOOK_MILLIS);
        assertThat(believed(2)).isEqualTo(Math.round(Pace.UNIT / 1.15));
    }

    @Test
    void whatItsStepsShowIsToldAndNotTooOften() {
        pair();
        stepping(200, 100, 2, 3);

        assertThat(believed(2)).isBetween(470_000L, 530_000L);
        assertThat(told(2)).hasSizeLessThanOrEqualTo(3);
        assertThat(stage.history()).contains("Paced 2 by daemon");
    }

    /** Its kind is known for steps of 100 ms; this one took half of that until somebody came. */
    @Test
    void whatItShowedItselfWhileAloneCountsBeforeItsKind() {
        known();
        stage.submit(Specs.gpus(1));
        stage.engine.running(2);
        stage.later(10);
        stepping(50, 40, 2);
        stage.submit(Specs.gpus(1));
        stage.engine.running(3);
        stage.later(10);
        stepping(100, 200, 2, 3);
        assertThat(believed(2)).isBetween(470_000L, 530_000L);
    }

    @Test
    void onceAloneItIsAsFastAsBefore() {
        pair();
        stepping(200, 100, 2, 3);
        leaves(3, 10_000);
        assertThat(believed(2)).isEqualTo(Pace.UNIT);
    }

    @Test
    void whoLoadsDoesNotSlowOthers() {
        known();
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        stage.engine.running(2);
        stage.engine.running(3);
        stage.later(10);
        stage.engine.tell(
                new News.Progress(3, 1, new News.Report(stage.now, "hello", 0, 0, "", Double.NaN), stage.now));
        for (int i = 0; i < 50; i++) {
            stepping(1000, 1, 2);
        }
        assertThat(told(2)).isEmpty();
    }

    /** Without reports a neighbour is taken to load as long as is believed of it, and to work then. */
    @Test
    void whoSaysNothingIsTakenToWorkAfterAWhile() {
        known();
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        stage.engine.running(2);
        stage.engine.running(3);
        stage.later(10);
        stage.later(3_000);
        assertThat(told(2)).isEmpty();
        stage.later(60_000);
        assertThat(told(2)).containsExactly(Math.round(Pace.UNIT / 1.15));
    }

    @Test
    void aPairThatDoesNotPayIsNotFormedAgainAlsoAfterACrash() {
        pair();
        stepping(400, 40, 2, 3);
        leaves(2, 10_000);
        leaves(3, 10_000);
        Line left = stage.store.lines().stream()
                .filter(line -> line.kind().equals("Left") && line.jobId() == 2)
                .findFirst()
                .orElseThrow();
        assertThat(left.body()).contains("\"beside\":[{\"neighbour\":\"true\"");

        stage.restart();
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        assertThat(job(4).profile().stretchBeside()).containsOnlyKeys("true");
        assertThat(stage.row(4).state()).isEqualTo(JobState.STARTING);
        assertThat(stage.row(5).state()).isEqualTo(JobState.PENDING);
    }

    @Test
    void aPairThatPaysIsFormedAgain() {
        pair();
        stepping(120, 120, 2, 3);
        leaves(2, 10_000);
        leaves(3, 10_000);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        assertThat(job(4).profile().stretchBeside()).isNotEmpty();
        assertThat(stage.row(5).state()).isEqualTo(JobState.STARTING);
    }

    @Test
    void aWordThatIsTakenBackTakesNoPairsWithItAndForgettingDoes() {
        pair();
        stepping(120, 120, 2, 3);
        leaves(2, 10_000);
        leaves(3, 10_000);
        Kind kind = stage.get(stage.desk().profiles()).keySet().iterator().next();
        Kind larger = kind.on(kind.gpuType(), 4);
        stage.get(stage.desk().retell(Stage.ANN, "profiles", Map.of(larger, n -> n.saying(Map.of(Figure.PAUSE, 1L)))));
        stage.get(stage.desk().retell(Stage.ANN, "profiles", Map.of(larger, n -> n.saying(Map.of()))));
        assertThat(stage.get(stage.desk().pairs()).speeds(kind)).isNotEmpty();

        stage.get(stage.desk().retell(Stage.ANN, "forget", Map.of(kind, n -> KindNotes.NONE)));
        assertThat(stage.get(stage.desk().pairs()).speeds(kind)).isEmpty();
    }

    private Job job(long id) {
        return Objects.requireNonNull(stage.conductor().ring().scheduler.job(id))
                .job();
    }

    @Test
    void keptWorkIsCountedAtThePaceThatItHad() {
        pair();
        stepping(200, 200, 2, 3); // 40 s, nearly all of them at half its pace
        stage.engine.left(2, Outcome.PAUSED, new Usage(0, 40_000, 0, 0, 0, 40_000), TELLING);
        stage.later(10);
        assertThat(Objects.requireNonNull(stage.conductor().ring().scheduler.job(2))
                        .savedWorkMillis())
                .isBetween(18_000L, 25_000L);
    }

    @Test
    void afterACrashPacesAreMeasuredOn() {
        pair();
        stepping(200, 100, 2, 3);
        long before = believed(2);
        stage.restart();
        assertThat(believed(2)).isEqualTo(before);

        stepping(400, 60, 2, 3);
        assertThat(believed(2)).isBetween(230_000L, 270_000L);
    }

    @Test
    void whoIsSeenOnlyBesideOthersTeachesNothingAboutBeingAloneAfterACrash() {
        pair();
        stage.restart();
        stage.engine.left(
                2,
                Outcome.COMPLETED,
                new Usage(0, 1, 0, 0, 0, 1),
                new Measured(-1, -1, -1, -1, -1, -1, -1, -1, 900_000, 900, 10_000, -1, -1, -1, 50, -1, 100_000));
        stage.later(10);
        assertThat(stage.conductor().ring().experience.iterationMicros(kind(), held(3)))
                .isEqualTo(100_000);
    }

    private Kind kind() {
        return Kind.of(Specs.gpus(1).spec(), "", 0);
    }

    private Allocation held(long job) {
        return Objects.requireNonNull(
                Objects.requireNonNull(stage.conductor().ring().scheduler.job(job))
                        .allocation());
    }

    /** Nobody is promised less, and nobody unknown shares, whatever was learned of pairs. */
    @Test
    void whatWasLearnedOfPairsPromisesNoMemory() {
        pair();
        stepping(120, 120, 2, 3);
        leaves(2, 10_000);
        leaves(3, 10_000);
        stage.submit(Specs.gpus(1), Specs.gpus(1));
        assertThat(List.of(4L, 5L)).allMatch(id -> job(id).demand().gpuMemoryMib() == 10_500);
    }
}
