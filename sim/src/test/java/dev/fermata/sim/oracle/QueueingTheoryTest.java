package dev.fermata.sim.oracle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.model.Job;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.sim.cluster.ClusterSpec;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.experiment.Experiment;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One-GPU jobs under first-come-first-served are textbook queues: the mean wait must be what the formula says, within what
 * chance allows. Seeds are fixed, so this never flakes.
 */
class QueueingTheoryTest {
    private static final int JOBS = 10_000;
    private static final int RUNS = 8;
    private static final double SERVICE = 100; // mean, in seconds

    /** Mean waits in seconds of independent runs with Poisson arrivals at this load. */
    private static double[] waits(int servers, double load, ToDoubleFunction<Rng> service) {
        double[] waits = new double[RUNS];
        for (int run = 0; run < RUNS; run++) {
            Rng rng = Rng.stream(run, 4711);
            List<SimulatedJob> jobs = new ArrayList<>(JOBS);
            double at = 0;
            for (int id = 1; id <= JOBS; id++) {
                at += rng.exponential(SERVICE / (load * servers));
                long millis = Math.max(1, Math.round(service.applyAsDouble(rng) * 1000));
                jobs.add(SimulatedJob.of(Job.builder(id, 1).build(), Math.round(at * 1000), millis));
            }
            Experiment experiment = new Experiment(
                    "queue",
                    ClusterSpec.parse("1x" + servers),
                    new Workload("poisson", jobs),
                    PolicySpec.parse("fifo"),
                    "none",
                    Faults.FaultRates.NONE,
                    run,
                    GuardMode.PLAN);
            waits[run] = experiment
                    .run(0, Experiment.RunObserver.NONE)
                    .summary()
                    .all()
                    .waiting()
                    .mean();
        }
        return waits;
    }

    private static void assertAgrees(double[] waits, double expected) {
        double mean = java.util.Arrays.stream(waits).average().orElseThrow();
        double variance =
                java.util.Arrays.stream(waits).map(w -> (w - mean) * (w - mean)).sum() / (waits.length - 1);
        double error = Math.sqrt(variance / waits.length);

        assertThat(error / expected).as("the runs are long enough to tell").isLessThan(0.06);
        assertThat(mean).isCloseTo(expected, within(3.5 * error));
    }

    @ParameterizedTest
    @CsvSource({"0.5", "0.7"})
    void exponentialServiceMatchesMM1(double load) {
        assertAgrees(waits(1, load, rng -> rng.exponential(SERVICE)), SERVICE * load / (1 - load));
    }

    @Test
    void constantServiceMatchesMD1() {
        assertAgrees(waits(1, 0.7, rng -> SERVICE), SERVICE * 0.7 / (1 - 0.7) / 2);
    }

    /** Pollaczek and Khinchine: W = lambda E[S^2] / 2 (1 - rho). */
    @Test
    void variableServiceMatchesMG1() {
        double load = 0.6;
        // one job in ten is ten times as long as the others
        double small = SERVICE / 1.9;
        double secondMoment = 0.9 * small * small + 0.1 * 100 * small * small;

        assertAgrees(
                waits(1, load, rng -> rng.uniform() < 0.1 ? 10 * small : small),
                load / SERVICE * secondMoment / (2 * (1 - load)));
    }

    @Test
    void severalServersMatchErlangC() {
        int servers = 4;
        double load = 0.8;
        double offered = load * servers;
        double term = 1;
        double sum = 1;
        for (int k = 1; k < servers; k++) {
            term *= offered / k;
            sum += term;
        }
        double last = term * offered / servers / (1 - load);
        double waitsAtAll = last / (sum + last);

        assertAgrees(
                waits(servers, load, rng -> rng.exponential(SERVICE)), waitsAtAll * SERVICE / (servers * (1 - load)));
    }
}
