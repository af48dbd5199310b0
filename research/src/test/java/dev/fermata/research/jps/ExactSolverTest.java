package dev.fermata.research.jps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.policy.market.Market;
import dev.fermata.core.policy.market.RingAllReduceMarket;
import dev.fermata.core.policy.market.TrainingJob;
import dev.fermata.sim.workload.JpsInstances;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The solver is packed for this platform alone; here it must load, or the build forgot it. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class ExactSolverTest {
    @BeforeAll
    static void theSolverLoads() {
        assertThat(ExactSolver.unavailable()).isNull();
    }

    @ParameterizedTest
    @EnumSource(JpsInstances.InstanceClass.class)
    void theSolverMatchesExhaustiveSearch(JpsInstances.InstanceClass instanceClass) {
        for (int seed = 1; seed <= 8; seed++) {
            Market market = JpsInstances.draw(instanceClass, 2 + seed % 2, 7 + seed % 3, seed);
            for (boolean idle : new boolean[] {true, false}) {
                double tried = exhaustiveSearch(market, new int[market.jobs()][market.types()], 0, 0, idle);
                assertThat(ExactSolver.meanSeconds(market, idle))
                        .as("%s, seed %d, idle %s", instanceClass, seed, idle)
                        .isCloseTo(tried, within(tried * 1e-9));
            }
        }
    }

    /** Two jobs of 100 s and two workers, one twice as fast for the first: 50 s and 100 s. */
    @Test
    void theSolverMatchesAManualSolution() {
        TrainingJob job = new TrainingJob(100, 1, 0);
        Market market = new RingAllReduceMarket(List.of(job, job), new double[][] {{1, 2}, {1, 1}}, 1e9);

        assertThat(ExactSolver.meanSeconds(market, true)).isCloseTo(75, within(1e-9));
    }

    @Test
    void nothingBeatsTheOptimumAndJpsIsWithinThePublishedGap() {
        List<JpsGrid.JpsVariant> variants = JpsGrid.variants();
        double gaps = 0;
        List<JpsGrid.SolvedInstance> solved = JpsGrid.solve(4, 10, List.of(1L, 2L, 3L), variants);
        for (JpsGrid.SolvedInstance one : solved) {
            assertThat(one.outcomes()).hasSameSizeAs(variants).allSatisfy(o -> {
                assertThat(o.gap()).isGreaterThan(-1e-9);
                assertThat(o.fairness()).isBetween(0.25, 1 + 1e-9);
            });
            assertThat(one.solverMillis()).isPositive();
            gaps += one.jps().gap() / solved.size();
        }
        assertThat(gaps).isBetween(-1e-9, 0.0204);
    }

    @Test
    void instancesAreTheSameForTheSameSeed() {
        RingAllReduceMarket once = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 5);
        RingAllReduceMarket again = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 5);
        RingAllReduceMarket other = JpsInstances.draw(JpsInstances.InstanceClass.UNSTRUCTURED, 3, 9, 6);

        assertThat(again.work(0)).isEqualTo(once.work(0)).isNotEqualTo(other.work(0));
    }

    private static double exhaustiveSearch(Market market, int[][] counts, int type, int given, boolean idle) {
        if (type == market.types()) {
            double sum = 0;
            for (int i = 0; i < counts.length; i++) {
                if (Arrays.stream(counts[i]).sum() == 0) {
                    return Double.POSITIVE_INFINITY;
                }
                sum += market.seconds(i, counts[i]);
            }
            return sum / counts.length;
        }
        if (given == market.workers(type)) {
            return exhaustiveSearch(market, counts, type + 1, 0, idle);
        }
        double best = idle ? exhaustiveSearch(market, counts, type, given + 1, true) : Double.POSITIVE_INFINITY;
        for (int[] row : counts) {
            row[type]++;
            best = Math.min(best, exhaustiveSearch(market, counts, type, given + 1, idle));
            row[type]--;
        }
        return best;
    }
}
