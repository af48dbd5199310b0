package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.estimate.History;
import dev.fermata.core.estimate.PastJob;
import dev.fermata.core.model.Job;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.spec.JobFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is believed about run times, seen by whom a short job may pause. */
class LiveEstimatorTest {
    private static final long SECOND = 1000;

    private final Stage stage = new Stage("fermata", 1);

    @Test
    void whatUsersSayDecides() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.submit(Specs.gpus(1).time(20 * SECOND));
        assertThat(stage.history()).contains("Pausing 1 by policy");
    }

    @Test
    void nobodyIsPausedForOneWhoTakesAsLong() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.submit(Specs.gpus(1).time(580 * SECOND));
        assertThat(stage.history()).doesNotContain("Pausing 1 by policy");
    }

    @Test
    void reportsAreBelievedBeforeUsers() {
        runsFor(Specs.gpus(1).time(600 * SECOND), 10 * SECOND);
        stage.engine.report(1, stage.now - 8 * SECOND, 10, 100);
        stage.engine.report(1, stage.now, 90, 100);
        stage.later(1);
        stage.submit(Specs.gpus(1).time(20 * SECOND));
        assertThat(stage.history()).doesNotContain("Pausing 1 by policy");
    }

    /** Users are wrong by far here; that is no reason to doubt a script that counts. */
    @Test
    void reportsAreBelievedWhateverUsersSaid() {
        int jobs = 40;
        for (int i = 1; i <= jobs; i++) {
            stage.submit(Specs.gpus(1).queue("q" + i).time(100 * SECOND));
            ends(i, i % 2 == 0 ? 20 * SECOND : 400 * SECOND);
        }
        stage.submit(Specs.gpus(1).time(600 * SECOND));
        stage.engine.running(jobs + 1);
        stage.later(10 * SECOND);
        stage.engine.report(jobs + 1, stage.now - 8 * SECOND, 10, 100);
        stage.engine.report(jobs + 1, stage.now, 90, 100);
        stage.later(1);
        stage.submit(Specs.gpus(1).queue("other").time(20 * SECOND));
        assertThat(stage.history()).doesNotContain("Pausing " + (jobs + 1) + " by policy");
    }

    /** One is known by its user's word, the other by those before it: what counts is who is shorter. */
    @Test
    void whoeverSaysSoTheShorterGoesFirst() {
        for (int i = 1; i <= 12; i++) {
            stage.submit(Specs.gpus(1).queue("learned"));
            ends(i, 60 * SECOND);
        }
        stage.submit(Specs.gpus(1).time(5 * SECOND).named("in the way"));
        stage.engine.running(13);
        stage.turn();
        stage.submit(Specs.gpus(1).queue("learned"), Specs.gpus(1).time(20 * SECOND));
        ends(13, SECOND);
        assertThat(stage.row(15).state()).as("20 s by its user").isEqualTo(JobState.STARTING);
        assertThat(stage.row(14).state()).as("60 s like all before it").isEqualTo(JobState.PENDING);
    }

    @Test
    void aProfileRunSaysNothingOfHowLongSuchJobsTake() {
        ObjectNode file = JsonNodeFactory.instance.objectNode().put("run", "python train.py");
        Specs whole = new Specs(JobFile.read(file).get(0));
        file.putObject("env").put("FERMATA_PROFILE_STEPS", "20");
        Specs part = new Specs(JobFile.read(file).get(0));
        for (int i = 1; i <= 4; i++) {
            stage.submit(part);
            ends(i, 2 * SECOND);
        }
        for (boolean restarted : new boolean[] {false, true}) {
            if (restarted) {
                stage.restart();
            }
            stage.submit(whole, part);
            List<RemainingTime.Source> sources = new ArrayList<>();
            for (long id : new long[] {5, 6}) {
                Ring ring = stage.conductor().ring();
                JobView job = Objects.requireNonNull(ring.scheduler.job(id));
                sources.add(ring.estimator.remaining(job, stage.now).source());
            }
            assertThat(sources)
                    .as("restarted: %s", restarted)
                    .containsExactly(RemainingTime.Source.ASSUMED, RemainingTime.Source.LEARNED);
        }
    }

    /** Forgotten, it would be paused at once for the very job that it was paused for. */
    @Test
    void whoHasJustComeBackStillHasWhatItHadLeft() {
        Reports reports = new Reports();
        Job job = Job.builder(1, 1).build();
        reports.waits(1, leftAtStep(90));
        reports.waits(1, Measured.NOTHING); // an attempt that left before it could show anything
        LiveEstimator estimator = new LiveEstimator(new History(), reports);

        PastJob waits = new PastJob(job, JobState.PENDING, 1_000, 0, 0);
        assertThat(estimator.remainingMillis(waits, 3_000)).isEqualTo(10_000);
        PastJob back = new PastJob(job, JobState.RUNNING, 1_000, 2_000, 0);
        assertThat(estimator.remainingMillis(back, 3_000)).isEqualTo(8_000);
    }

    /** Of 100 steps of a second each. */
    private static Measured leftAtStep(long saved) {
        return new Measured(-1, -1, -1, -1, -1, -1, -1, -1, 1_000_000, -1, -1, -1, -1, -1, saved, saved, 100);
    }

    private void ends(long id, long afterMillis) {
        stage.engine.running(id);
        stage.later(afterMillis);
        stage.engine.left(id, Outcome.COMPLETED, new Usage(0, afterMillis, 0, 0, 0, afterMillis), Measured.NOTHING);
        stage.turn();
    }

    private void runsFor(Specs spec, long millis) {
        stage.submit(spec);
        stage.engine.running(1);
        stage.later(millis);
    }
}
