package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.fermata.core.policy.market.SampledMarket.SamplingOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExactMarketTest {
    private static final int LIMIT = 1_000_000;

    /** A market of drawn jobs; sizes and whether a job splits may be limited. */
    private static final class DrawnMarket implements Market {
        final RingAllReduceMarket all;
        final int[] min;
        final int[] max;
        final boolean[] splits;

        DrawnMarket(RingAllReduceMarket all, int[] min, int[] max, boolean[] splits) {
            this.all = all;
            this.min = min;
            this.max = max;
            this.splits = splits;
        }

        static DrawnMarket draw(int jobs, int workers, int types, boolean limited, long seed) {
            Random random = new Random(seed);
            List<TrainingJob> list = new ArrayList<>();
            double[][] rates = new double[jobs][workers];
            int[] min = new int[jobs];
            int[] max = new int[jobs];
            boolean[] splits = new boolean[jobs];
            for (int i = 0; i < jobs; i++) {
                list.add(new TrainingJob(256, 100 + random.nextInt(2000), 5e8 * random.nextDouble()));
                double[] byType = random.doubles(types, 50, 1000).toArray();
                for (int k = 0; k < workers; k++) {
                    rates[i][k] = byType[k % types];
                }
                min[i] = limited ? 1 + random.nextInt(3) : 1;
                max[i] = limited ? min[i] + random.nextInt(3) : Integer.MAX_VALUE;
                splits[i] = !limited || random.nextBoolean();
            }
            return new DrawnMarket(new RingAllReduceMarket(list, rates, 1.25e9), min, max, splits);
        }

        @Override
        public int jobs() {
            return all.jobs();
        }

        @Override
        public int types() {
            return all.types();
        }

        @Override
        public int workers(int type) {
            return all.workers(type);
        }

        @Override
        public double rate(int job, int type) {
            return all.rate(job, type);
        }

        @Override
        public double work(int job) {
            return all.work(job);
        }

        @Override
        public double seconds(int job, double rate, int workers) {
            return all.seconds(job, rate, workers);
        }

        @Override
        public int minWorkers(int job) {
            return min[job];
        }

        @Override
        public int maxWorkers(int job) {
            return max[job];
        }

        @Override
        public boolean splits(int job) {
            return splits[job];
        }

        /** Every worker to every job or to none. */
        double exhaustive(int[][] counts, int type, int given, boolean idle) {
            if (type == types()) {
                double sum = 0;
                for (int i = 0; i < jobs(); i++) {
                    sum += allows(i, counts[i]) ? seconds(i, counts[i]) : Double.POSITIVE_INFINITY;
                }
                return sum / jobs();
            }
            if (given == workers(type)) {
                return exhaustive(counts, type + 1, 0, idle);
            }
            double best = idle ? exhaustive(counts, type, given + 1, true) : Double.POSITIVE_INFINITY;
            for (int[] row : counts) {
                row[type]++;
                best = Math.min(best, exhaustive(counts, type, given + 1, idle));
                row[type]--;
            }
            return best;
        }

        private boolean allows(int job, int[] counts) {
            int size = Arrays.stream(counts).sum();
            boolean oneType = Arrays.stream(counts).filter(c -> c > 0).count() == 1;
            return size >= min[job] && size <= max[job] && (splits[job] || oneType);
        }
    }

    private static void assertValid(DrawnMarket market, Division division) {
        for (int t = 0; t < market.types(); t++) {
            int used = 0;
            for (int i = 0; i < market.jobs(); i++) {
                used += division.count(i, t);
            }
            assertThat(used).isLessThanOrEqualTo(market.workers(t));
        }
        for (int i = 0; i < market.jobs(); i++) {
            int[] counts = division.counts()[i];
            assertThat(market.allows(i, counts)).isTrue();
            assertThat(division.seconds(i)).isEqualTo(market.seconds(i, counts));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theDynamicProgrammeMatchesExhaustiveSearch(boolean idle) {
        for (int seed = 0; seed < 60; seed++) {
            DrawnMarket market = DrawnMarket.draw(2 + seed % 2, 7, 1 + seed % 5, false, seed);
            double best = market.exhaustive(new int[market.jobs()][market.types()], 0, 0, idle);

            Division found = Objects.requireNonNull(ExactMarket.place(market, idle, LIMIT));

            assertValid(market, found);
            assertThat(found.meanSeconds()).as("seed %d", seed).isCloseTo(best, within(best * 1e-9));
        }
    }

    @Test
    void limitedSizesAndJobsThatCannotSplitMatchExhaustiveSearch() {
        int feasible = 0;
        for (int seed = 0; seed < 120; seed++) {
            DrawnMarket market = DrawnMarket.draw(3, 7, 1 + seed % 4, true, seed);
            double best = market.exhaustive(new int[3][market.types()], 0, 0, true);

            Division found = ExactMarket.place(market, true, LIMIT);

            if (found == null) {
                assertThat(best).as("seed %d", seed).isEqualTo(Double.POSITIVE_INFINITY);
                continue;
            }
            feasible++;
            assertValid(market, found);
            assertThat(found.meanSeconds()).as("seed %d", seed).isCloseTo(best, within(best * 1e-9));
        }
        assertThat(feasible).isBetween(60, 119); // both answers occur
    }

    /** Prices and bounds drop placements; what they leave must hold the same optimum as no bounds at all. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void boundsNeverDropTheOptimum(boolean idle) {
        int improved = 0;
        for (int seed = 0; seed < 40; seed++) {
            DrawnMarket market = DrawnMarket.draw(5, 20 + seed % 5, 3, false, seed);
            SamplingOptions sampling = SamplingOptions.DEFAULT.withIdle(idle);
            Division sampled = Objects.requireNonNull(SampledMarket.place(market, sampling));
            Division plain = Objects.requireNonNull(SampledMarket.equalSplit(market, sampling));
            Division unbounded = Objects.requireNonNull(ExactMarket.place(market, idle, 10_000_000));

            for (Division start : List.of(sampled, plain)) {
                Division bounded = Objects.requireNonNull(ExactMarket.improve(market, start, idle, LIMIT));
                assertValid(market, bounded);
                assertThat(bounded.meanSeconds())
                        .as("seed %d", seed)
                        .isCloseTo(unbounded.meanSeconds(), within(unbounded.meanSeconds() * 2e-9))
                        .isLessThanOrEqualTo(start.meanSeconds());
                improved += bounded.meanSeconds() < start.meanSeconds() ? 1 : 0;
            }
        }
        assertThat(improved).isGreaterThan(40); // it is no copy of what it got
    }

    /** Two jobs of 100 s and two workers, one twice as fast for the first: 50 s and 100 s. */
    @Test
    void aManualSolution() {
        TrainingJob job = new TrainingJob(100, 1, 0);
        Market market = new RingAllReduceMarket(List.of(job, job), new double[][] {{1, 2}, {1, 1}}, 1e9);

        assertThat(Objects.requireNonNull(ExactMarket.place(market, true, 100)).meanSeconds())
                .isCloseTo(75, within(1e-9));
    }

    @Test
    void beyondTheLimitThereIsNoAnswer() {
        DrawnMarket market = DrawnMarket.draw(4, 16, 3, false, 1);
        Division start = Objects.requireNonNull(SampledMarket.place(market, SamplingOptions.DEFAULT));

        assertThat(ExactMarket.place(market, true, 50)).isNull();
        assertThat(ExactMarket.improve(market, start, true, 50)).isNull();
        assertThat(ExactMarket.improve(market, start, true, LIMIT)).isNotNull();
    }

    @Test
    void aGangThatCannotSplitWaitsForOneType() {
        TrainingJob job = new TrainingJob(100, 1, 0);
        RingAllReduceMarket all = new RingAllReduceMarket(List.of(job), new double[][] {{1, 2}}, 1e9);
        Market split = new DrawnMarket(all, new int[] {2}, new int[] {2}, new boolean[] {true});
        Market whole = new DrawnMarket(all, new int[] {2}, new int[] {2}, new boolean[] {false});

        assertThat(ExactMarket.place(split, true, 100)).isNotNull();
        assertThat(ExactMarket.place(whole, true, 100)).isNull();
    }
}
