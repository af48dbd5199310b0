package dev.fermata.sim.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Job;
import dev.fermata.sim.TestSimulation;
import dev.fermata.sim.workload.Rng;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The documented bound on waiting, on a cluster that is hardly ever empty. */
class StarvationBoundTest {
    private static final int GPUS = 8;
    private static final int LONGEST_SECONDS = 900;
    private static final long HOUR_MILLIS = 3_600_000;

    /**
     * One-GPU jobs come for four days, and a gang needs all GPUs at once. It becomes overdue no later
     * than slowdown × run time × most GPUs demanded at once / GPUs after its submission, or after an hour. From then
     * on no job overtakes it, so it starts as soon as the running jobs have ended.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void gangStartsWithinTheBound(long seed) {
        Rng rng = Rng.stream(seed, 0);
        long slowdown = 1L + rng.uniformInt(3);
        int gangSeconds = 1000 + rng.uniformInt(2000);
        TestSimulation simulation = TestSimulation.on("1x" + GPUS, "fermata:pair=1,slowdown=" + slowdown);
        int jobs = 0;
        for (double at = 0; at < 4 * 86_400; at += rng.exponential(84)) {
            simulation.job(Job.builder(++jobs, 1).build(), (long) at, 300 + rng.uniformInt(LONGEST_SECONDS - 300));
        }
        long gang = jobs + 1L;
        long submitSecond = 20_000;
        simulation
                .job(Job.builder(gang, GPUS).build(), submitSecond, gangSeconds)
                .run();

        long demanded = mostDemanded(simulation, gang);
        long boundMillis = submitSecond * 1000
                + Math.max(HOUR_MILLIS, slowdown * gangSeconds * 1000L * demanded / GPUS)
                + LONGEST_SECONDS * 1000L;
        assertThat(simulation.startedMillis(gang, 1)).isLessThanOrEqualTo(boundMillis);
        assertThat(boundMillis).as("jobs arrive all the time until then").isLessThan(4 * 86_400_000L);
    }

    /** The most GPUs that live jobs demanded at once before the gang started. */
    private static long mostDemanded(TestSimulation simulation, long gang) {
        long live = 0;
        long most = 0;
        for (TestSimulation.SimulatedRecord entry : simulation.history()) {
            long gpus = entry.record().jobId() == gang ? GPUS : 1;
            switch (entry.record().type()) {
                case SUBMITTED -> live += gpus;
                case STARTED -> {
                    if (entry.record().jobId() == gang) {
                        return most;
                    }
                }
                case ATTEMPT_ENDED ->
                    live -= ((HistoryRecord.AttemptEnded) entry.record()).next().isFinal() ? gpus : 0;
                default -> {}
            }
            most = Math.max(most, live);
        }
        return most;
    }
}
