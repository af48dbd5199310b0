package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.SimulatedJob;
import org.junit.jupiter.api.Test;

/** A cluster on which only very short jobs have run so far, and two jobs without a profile. */
class UnprofiledJobsTest {
    private static final Costs PRIOR = new Costs(5_000, 10_000, 0, 0);

    /** The two come at 200 s, and 11 s later. */
    private static TestSimulation simulation(int before, long graceMillis) {
        TestSimulation simulation = TestSimulation.on("1x2", "fermata").estimator("history");
        for (int id = 1; id <= before; id++) {
            simulation.job(SimulatedJob.of(job(id, 1, "echo", graceMillis), 0, 300));
        }
        simulation.job(job(before + 1, 2, "train", graceMillis), 200, 100);
        return simulation.job(job(before + 2, 2, "train", graceMillis), 211, 100);
    }

    private static Job job(long id, int gpus, String name, long graceMillis) {
        return Job.builder(id, gpus)
                .name(name)
                .costs(PRIOR)
                .graceMillis(graceMillis)
                .build();
    }

    private static long preemptions(TestSimulation simulation) {
        return simulation.history().stream()
                .filter(line -> line.record() instanceof HistoryRecord.Preempting)
                .count();
    }

    @Test
    void oneCompletedJobIsNotEnoughHistory() {
        TestSimulation simulation = simulation(1, 120_000);
        simulation.run();
        assertThat(preemptions(simulation)).isZero();
    }

    /**
     * The first of the two has loaded at 210 s; that the other may be very short changes nothing within the next 15.
     */
    @Test
    void aJobThatJustStartedIsNotPreemptedForAnUnknownJob() {
        TestSimulation simulation = simulation(12, 120_000);
        simulation.run();
        assertThat(simulation.history())
                .filteredOn(line -> line.record() instanceof HistoryRecord.Preempting && line.atMillis() < 225_000)
                .isEmpty();
        assertThat(preemptions(simulation)).as("then it pays to try").isEqualTo(1);
    }

    /** Lost work counts as never done, except that the job is known not to end within it. */
    @Test
    void twoJobsThatCannotSaveDoNotPreemptEachOtherRepeatedly() {
        TestSimulation simulation = simulation(12, 1_000);
        simulation.run();
        assertThat(preemptions(simulation)).isLessThanOrEqualTo(1);
    }
}
