package dev.fermata.insight.prediction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.prediction.ClusterSnapshot;
import dev.fermata.sim.invariants.RandomScenario;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What holds for every prediction, over random scenarios that are stopped in the middle. */
class StartPredictionInvariantsTest {
    private static final int SEEDS = 40;

    /** Offsets of one millisecond each: the order of jobs that end together is in no snapshot. */
    private static InterruptedSimulation simulation(long seed, String policy) {
        RandomScenario drawn = RandomScenario.simple(seed);
        List<SimulatedJob> jobs = new ArrayList<>();
        for (SimulatedJob job : drawn.workload().jobs()) {
            long id = job.job().id();
            jobs.add(new SimulatedJob(
                    job.job(),
                    job.submitMillis() + 13 * id,
                    job.durationMillis() + 1009 * id,
                    job.job().demand().gpuMemoryMib(),
                    job.costs()));
        }
        return new InterruptedSimulation(drawn.topology(), policy, jobs).runUntil((int) (40 + seed % 80));
    }

    /** These remember nothing between decisions, so that a fresh one decides alike. */
    @ParameterizedTest
    @ValueSource(strings = {"fifo", "sjf", "srtf", "fifo-backfill"})
    void aPredictionWithExactRuntimesEqualsTheSimulation(String policy) {
        int compared = 0;
        for (long seed = 1; seed <= SEEDS; seed++) {
            InterruptedSimulation scenario = simulation(seed, policy);
            Map<Long, Long> predicted = new TreeMap<>();
            for (StartDistribution start : MonteCarloStartPredictor.predict(scenario.predictionInput(1), 1)) {
                assertThat(start.startsMillis())
                        .as("seed %s, job %s", seed, start.jobId())
                        .hasSize(1);
                predicted.put(start.jobId(), start.startsMillis().get(0));
            }
            scenario.runToEnd();
            for (Map.Entry<Long, Long> start : predicted.entrySet()) {
                assertThat(start.getValue())
                        .as("%s, seed %s, job %s", policy, seed, start.getKey())
                        .isEqualTo(scenario.starts.get(start.getKey()));
                compared++;
            }
        }
        assertThat(compared).isGreaterThan(SEEDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"fermata", "xion", "fitgpp", "las", "dally", "gandiva", "xonar"})
    void everyPredictionIsConsistent(String policy) {
        for (long seed = 1; seed <= SEEDS / 4; seed++) {
            InterruptedSimulation scenario = simulation(seed, policy);
            SchedulerSnapshot before = scenario.scheduler.snapshot();
            ClusterSnapshot state = scenario.predictionInput(2);
            List<StartDistribution> starts = MonteCarloStartPredictor.predict(state, 5);
            assertThat(scenario.scheduler.snapshot()).as("the live state stays").isEqualTo(before);
            assertThat(state.scheduler()).isEqualTo(before);
            assertThat(MonteCarloStartPredictor.predict(state, 5))
                    .as("the same again")
                    .isEqualTo(starts);
            for (StartDistribution start : starts) {
                assertThat(start.quantileMillis(0.5))
                        .isGreaterThanOrEqualTo(scenario.nowMillis())
                        .isLessThanOrEqualTo(start.quantileMillis(0.9));
            }
        }
    }
}
