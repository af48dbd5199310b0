package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.sim.Play;
import dev.fermata.sim.workload.TrueJob;
import org.junit.jupiter.api.Test;

/** A cluster on which one job has run so far, for a blink, and two of which nobody knows more than that. */
class UnknownJobsTest {
    private static final Costs PRIOR = new Costs(5_000, 10_000, 0, 0);

    private static Play play(long graceMillis) {
        Play play = Play.on("1x2", "fermata").estimator("history");
        play.job(TrueJob.of(job(1, "echo", graceMillis), 0, 300));
        play.job(job(2, "train", graceMillis), 20, 100);
        return play.job(job(3, "train", graceMillis), 31, 100);
    }

    private static Job job(long id, String name, long graceMillis) {
        return Job.builder(id, 2)
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

    /** The first of the two has loaded at 30 s; that the other may be over in a blink is no news within the next 15. */
    @Test
    void whoHasHardlyRunIsNotPausedForSomebodyNew() {
        Play play = play(120_000);
        play.run();
        assertThat(play.history())
                .filteredOn(line -> line.fact() instanceof Fact.Pausing && line.atMillis() < 45_000)
                .isEmpty();
    }

    /** Work that is lost is as good as never done, but for the news that the job did not end in it. */
    @Test
    void twoThatCannotSaveDoNotPauseEachOtherInTurn() {
        Play play = play(1_000);
        play.run();
        assertThat(pauses(play)).isLessThanOrEqualTo(1);
    }
}
