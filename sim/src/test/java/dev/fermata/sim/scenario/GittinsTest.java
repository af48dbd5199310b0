package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.SimulatedJob;
import org.junit.jupiter.api.Test;

/**
 * Twenty jobs of 10 GPU-seconds and ten of 100 have ended. By the index, a job that has had nothing costs 10 s x 30 /
 * 20 = 15 s for each end; one that has had 8 to 16 GPU-seconds 2 s x 30 / 20 = 3 s; one that has had 16 to 32 can only
 * end at 100: 84 s.
 */
class GittinsTest {
    private static final long LATER_MILLIS = 2_000_000;

    private static TestSimulation learned() {
        TestSimulation simulation = TestSimulation.on("1x4", "gittins");
        for (int id = 1; id <= 30; id++) {
            simulation.job(Job.builder(id, 1).build(), 0, id <= 20 ? 10 : 100);
        }
        return simulation;
    }

    private static SimulatedJob job(long id, int gpus, long atMillis, long seconds) {
        return SimulatedJob.of(Job.builder(id, gpus).build(), LATER_MILLIS + atMillis, 1000 * seconds);
    }

    /** A gang of four has had 16 GPU-seconds after 4 s: then the newcomer is better, and not before. */
    @Test
    void aGangIsRankedAgainWhenItsGpuTimePassesABucket() {
        TestSimulation simulation =
                learned().job(job(40, 4, 0, 30)).job(job(41, 4, 2_500, 5)).run();

        assertThat(simulation.startedMillis(41, 1)).isEqualTo(LATER_MILLIS + 4_000);
    }

    /** At 7 GPU-seconds a job costs 6 s x 30 / 20 = 9 s for each end, counted from 4: better than 15, and better still later. */
    @Test
    void aJobThatIsNearlyDoneIsNotPreemptedForANewcomer() {
        TestSimulation simulation =
                learned().job(job(40, 4, 0, 3)).job(job(41, 4, 1_750, 5)).run();

        assertThat(simulation.startedMillis(41, 1)).isEqualTo(LATER_MILLIS + 3_000);
    }

    /** Where the bucket begins at one GPU-second, 9 s x 30 / 20 = 13.5 s: less than 15, so the newcomer waits for the older one. */
    @Test
    void aJobWithOneSecondOfServiceGoesBeforeAnUnservedJob() {
        TestSimulation simulation =
                learned().job(job(40, 1, 0, 12)).job(job(42, 4, 1_500, 10)).run();

        assertThat(simulation.startedMillis(42, 1)).isEqualTo(LATER_MILLIS + 12_000);
    }
}
