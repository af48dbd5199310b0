package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.sim.Play;
import dev.fermata.sim.workload.TrueJob;
import org.junit.jupiter.api.Test;

/** A cluster on which only jobs of a blink have run so far, and two of which nobody knows more than that. */
class UnknownJobsTest {
    private static final Costs PRIOR = new Costs(5_000, 10_000, 0, 0);

    /** The two come at 200 s, and 11 s later. */
    private static Play play(int before, long graceMillis) {
        Play play = Play.on("1x2", "fermata").estimator("history");
        for (int id = 1; id <= before; id++) {
            play.job(TrueJob.of(job(id, 1, "echo", graceMillis), 0, 300));
        }
        play.job(job(before + 1, 2, "train", graceMillis), 200, 100);
        return play.job(job(before + 2, 2, "train", graceMillis), 211, 100);
    }

    private static Job job(long id, int gpus, String name, long graceMillis) {
        return Job.builder(id, gpus)
                .name(name)
                .costs(PRIOR)
                .graceMillis(graceMillis)
                .build();
    }

    private static long pauses(Play play) {
        return play.history().stream()
                .filter(line -> line.fact() instanceof Fact.Pausing)
                .count();
    }

    @Test
    void oneJobIsNoRule() {
        Play play = play(1, 120_000);
        play.run();
        assertThat(pauses(play)).isZero();
    }

    /** The first of the two has loaded at 210 s; that the other may be over in a blink is no news within the next 15. */
    @Test
    void whoHasHardlyRunIsNotPausedForSomebodyNew() {
        Play play = play(12, 120_000);
        play.run();
        assertThat(play.history())
                .filteredOn(line -> line.fact() instanceof Fact.Pausing && line.atMillis() < 225_000)
                .isEmpty();
        assertThat(pauses(play)).as("then it pays to try").isEqualTo(1);
    }

    /** Work that is lost is as good as never done, but for the news that the job did not end in it. */
    @Test
    void twoThatCannotSaveDoNotPauseEachOtherInTurn() {
        Play play = play(12, 1_000);
        play.run();
        assertThat(pauses(play)).isLessThanOrEqualTo(1);
    }
}
