package dev.fermata.sim.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The default policy is not behind the order that happens to suit a cluster. Runs are deterministic: so are these results. */
class DefaultPolicyTest {
    private static final int SEEDS = 5;

    private static double meanJct(String cluster, String policy, String estimator) {
        Topology topology = ClusterSpec.parse(cluster);
        double sum = 0;
        for (long seed = 101; seed <= 100 + SEEDS; seed++) {
            sum += run(topology, policy, estimator, seed).summary().all().jct().mean();
        }
        return sum / SEEDS;
    }

    private static RunResult run(Topology topology, String policy, String estimator, long seed) {
        Workload workload = WorkloadSpec.generate("synthetic:jobs=1000", topology, seed);
        return new Experiment(
                        "test",
                        topology,
                        workload,
                        PolicySpec.parse(policy),
                        estimator,
                        Faults.FaultRates.NONE,
                        seed,
                        GuardMode.OFF)
                .run(0, Experiment.RunObserver.NONE);
    }

    /** Time is the better measure on the smaller cluster, service on the larger one: rehearsals must find out. */
    @ParameterizedTest
    @CsvSource({"1x8:V100", "4x8:V100", "16x8:V100"})
    void neverFarBehindTheBetterOfSrtfAndSrsf(String cluster) {
        double best = Math.min(meanJct(cluster, "srtf", "oracle"), meanJct(cluster, "srsf", "oracle"));
        assertThat(meanJct(cluster, "fermata", "oracle")).isLessThan(1.02 * best);
    }

    /** Gangs that reach the size of the cluster go first: smaller jobs fill what they leave. */
    @Test
    void onAClusterOfTheSizeOfItsGangsItIsAheadOfBoth() {
        double best = Math.min(meanJct("1x8:V100", "srtf", "oracle"), meanJct("1x8:V100", "srsf", "oracle"));
        assertThat(meanJct("1x8:V100", "fermata", "oracle")).isLessThan(0.97 * best);
    }

    @Test
    void withoutEstimatesItIsFarAheadOfLeastAttainedService() {
        assertThat(meanJct("4x8:V100", "fermata", "none")).isLessThan(0.8 * meanJct("4x8:V100", "las", "none"));
    }

    /** Where nothing is known of jobs, what completed ones taught takes its place. */
    @Test
    void withoutEstimatesItLearnsFromCompletedJobs() {
        assertThat(meanJct("4x8:V100", "fermata", "none")).isLessThan(1.01 * meanJct("4x8:V100", "fermata", "history"));
    }

    /** A minute of running tells how long a job runs: that is nearly as good as an oracle. */
    @Test
    void progressIsNearlyAsGoodAsAnOracle() {
        double known = meanJct("4x8:V100", "fermata", "oracle");
        double told = meanJct("4x8:V100", "fermata", "progress");
        double guessed = meanJct("4x8:V100", "fermata", "history");
        assertThat(told).isLessThan(1.05 * known).isLessThan(0.95 * guessed);
    }

    @Test
    void trialsStartAtOnceWhateverIsOverdue() {
        Topology topology = ClusterSpec.parse("1x8:V100");
        for (String estimator : new String[] {"oracle", "none", "progress"}) {
            assertThat(run(topology, "fermata", estimator, 101)
                            .summary()
                            .trial()
                            .slowdown()
                            .p95())
                    .as(estimator)
                    .isLessThan(1.1);
        }
    }
}
