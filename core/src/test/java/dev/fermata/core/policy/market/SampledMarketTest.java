package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.policy.market.SampledMarket.SamplingOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SampledMarketTest {
    /** Jobs and a throughput matrix in which every worker may be different. */
    private static final class MarketCase {
        final List<TrainingJob> jobs;
        final double[][] throughput;

        MarketCase(List<TrainingJob> jobs, double[][] throughput) {
            this.jobs = jobs;
            this.throughput = throughput;
        }

        static MarketCase draw(int jobs, int workers, int types, long seed) {
            Random random = new Random(seed);
            List<TrainingJob> list = new ArrayList<>();
            double[][] rates = new double[jobs][workers];
            for (int i = 0; i < jobs; i++) {
                list.add(new TrainingJob(256, 100 + random.nextInt(2000), 5e8 * random.nextDouble()));
                double[] byType = random.doubles(types, 50, 1000).toArray();
                for (int k = 0; k < workers; k++) {
                    rates[i][k] = byType[k % types];
                }
            }
            return new MarketCase(list, rates);
        }

        RingAllReduceMarket market() {
            return new RingAllReduceMarket(jobs, throughput, 1.25e9);
        }
    }

    private static Division place(Market market, SamplingOptions options) {
        Division division = Objects.requireNonNull(SampledMarket.place(market, options));
        for (int t = 0; t < market.types(); t++) {
            int used = 0;
            for (int i = 0; i < market.jobs(); i++) {
                used += division.count(i, t);
            }
            assertThat(used).isLessThanOrEqualTo(market.workers(t));
        }
        return division;
    }

    /** Every worker to every job or to none. */
    private static double exhaustive(Market market, int[][] counts, int type, int given, boolean idle) {
        if (type == market.types()) {
            double sum = 0;
            for (int i = 0; i < market.jobs(); i++) {
                if (Arrays.stream(counts[i]).sum() == 0) {
                    return Double.POSITIVE_INFINITY;
                }
                sum += market.seconds(i, counts[i]);
            }
            return sum / market.jobs();
        }
        if (given == market.workers(type)) {
            return exhaustive(market, counts, type + 1, 0, idle);
        }
        double best = idle ? exhaustive(market, counts, type, given + 1, true) : Double.POSITIVE_INFINITY;
        for (int[] row : counts) {
            row[type]++;
            best = Math.min(best, exhaustive(market, counts, type, given + 1, idle));
            row[type]--;
        }
        return best;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nothingBeatsExhaustiveSearchAndJpsIsNearIt(boolean idle) {
        double gaps = 0;
        int cases = 40;
        for (int seed = 0; seed < cases; seed++) {
            Market market = MarketCase.draw(3, 7, 1 + seed % 7, seed).market();
            double best = exhaustive(market, new int[3][market.types()], 0, 0, idle);
            double found = place(market, SamplingOptions.DEFAULT.withIdle(idle)).meanSeconds();
            assertThat(found).isGreaterThanOrEqualTo(best * (1 - 1e-12));
            gaps += found / best - 1;
        }
        assertThat(gaps / cases).isLessThan(0.0204);
    }

    /** One job of 1 s; a second worker would save half a second and cost 0.8 s of talking. */
    @Test
    void aWorkerThatWouldSlowAJobDownIsLeftIdle() {
        Market market =
                new RingAllReduceMarket(List.of(new TrainingJob(100, 1, 0.8e9)), new double[][] {{100, 100}}, 1e9);

        assertThat(place(market, SamplingOptions.DEFAULT).size(0)).isEqualTo(1);
        assertThat(place(market, SamplingOptions.DEFAULT).meanSeconds()).isCloseTo(1, within(1e-9));
        assertThat(place(market, SamplingOptions.DEFAULT.withIdle(false)).meanSeconds())
                .isCloseTo(1.3, within(1e-9));
    }

    /** Both prefer the fast worker; the first gains 10 times by it, the second hardly anything. */
    @ParameterizedTest
    @EnumSource(Clearing.ClearingMethod.class)
    void theFastWorkerGoesWhereItHelpsMost(Clearing.ClearingMethod method) {
        TrainingJob job = new TrainingJob(100, 10, 0);
        RingAllReduceMarket market =
                new RingAllReduceMarket(List.of(job, job), new double[][] {{10, 100}, {90, 100}}, 1e9);

        Division division = place(market, SamplingOptions.DEFAULT.withMethod(method));

        assertThat(market.workersOf(division.counts())).isDeepEqualTo(new int[][] {{1}, {0}});
        assertThat(division.seconds(0)).isCloseTo(10, within(1e-9));
        assertThat(division.seconds(1)).isCloseTo(1000 / 90.0, within(1e-9));
    }

    @Test
    void scalingAllTimesScalesTheResult() {
        for (int seed = 0; seed < 20; seed++) {
            MarketCase once = MarketCase.draw(4, 12, 3, seed);
            MarketCase twice = new MarketCase(
                    once.jobs.stream()
                            .map(j -> new TrainingJob(j.samples(), 2 * j.rounds(), j.modelBytes()))
                            .toList(),
                    once.throughput);

            Division first = place(once.market(), SamplingOptions.DEFAULT);
            Division second = place(twice.market(), SamplingOptions.DEFAULT);

            assertThat(second.counts()).isDeepEqualTo(first.counts());
            assertThat(second.meanSeconds()).isCloseTo(2 * first.meanSeconds(), within(1e-6));
        }
    }

    @Test
    void theOrderOfTheWorkersChangesNothing() {
        for (int seed = 0; seed < 20; seed++) {
            MarketCase given = MarketCase.draw(4, 12, 3, seed);
            List<Integer> order = new ArrayList<>();
            for (int k = 0; k < 12; k++) {
                order.add(k);
            }
            Collections.shuffle(order, new Random(seed));
            double[][] shuffled = new double[4][12];
            for (int i = 0; i < 4; i++) {
                for (int k = 0; k < 12; k++) {
                    shuffled[i][k] = given.throughput[i][order.get(k)];
                }
            }

            assertThat(place(new MarketCase(given.jobs, shuffled).market(), SamplingOptions.DEFAULT)
                            .counts())
                    .isDeepEqualTo(
                            place(given.market(), SamplingOptions.DEFAULT).counts());
        }
    }

    @Test
    void theClearingMethodHardlyChangesTheResult() {
        for (int seed = 0; seed < 20; seed++) {
            Market market = MarketCase.draw(4, 12, 12, seed).market();

            assertThat(place(market, SamplingOptions.DEFAULT.withMethod(Clearing.ClearingMethod.AUCTION))
                            .meanSeconds())
                    .isCloseTo(
                            place(market, SamplingOptions.DEFAULT).meanSeconds(),
                            org.assertj.core.api.Assertions.withinPercentage(2));
        }
    }

    @Test
    void tradesNeverWorsenTheResult() {
        for (int seed = 0; seed < 20; seed++) {
            Market market = MarketCase.draw(5, 15, 3, seed).market();

            assertThat(place(market, SamplingOptions.DEFAULT).meanSeconds())
                    .isLessThanOrEqualTo(
                            place(market, SamplingOptions.DEFAULT.withTrades(0)).meanSeconds());
        }
    }

    @Test
    void fairnessCostsCompletionTimeAndImproves() {
        double fairness = 0;
        double fairer = 0;
        for (int seed = 0; seed < 20; seed++) {
            Market market = MarketCase.draw(4, 12, 3, seed).market();
            Division fast = place(market, SamplingOptions.DEFAULT);
            Division fair = place(market, SamplingOptions.DEFAULT.withBeta(1));
            assertThat(fair.meanSeconds()).isGreaterThanOrEqualTo(fast.meanSeconds() * (1 - 1e-3));
            fairness += fast.fairness(market) / 20;
            fairer += fair.fairness(market) / 20;
        }
        assertThat(fairer).isGreaterThan(fairness).isGreaterThan(0.95);
    }

    /** Ratios 1 and 3 to the equal share: (1 + 3)² / (2 · (1 + 9)) = 0.8. */
    @Test
    void fairnessIsJainsIndexOverTheEqualShare() {
        TrainingJob job = new TrainingJob(100, 1, 0);
        Market market = new RingAllReduceMarket(List.of(job, job), new double[][] {{100, 100}, {100, 100}}, 1e9);

        assertThat(DivisionObjective.jain(market, new double[] {1, 3})).isCloseTo(0.8, within(1e-12));
        assertThat(new DivisionObjective(market, 0.5).score(new double[] {1, 3}))
                .isCloseTo(2 * (0.5 + 0.5 * 0.2), within(1e-12));
        assertThat(new DivisionObjective(market, 0).score(new double[] {1, 3})).isCloseTo(2, within(1e-12));
    }

    @Test
    void optionsOutOfRangeAreRejected() {
        assertThatThrownBy(() -> SamplingOptions.DEFAULT.withSamples(0)).hasMessageContaining("samples (0)");
        assertThatThrownBy(() -> SamplingOptions.DEFAULT.withBeta(1.5)).hasMessageContaining("beta (1.5)");
    }
}
