package dev.fermata.core.policy.market;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CategoriesTest {
    private static RingAllReduceMarket market(int jobs, int workers, double bytes) {
        double[][] rates = new double[jobs][workers];
        Arrays.stream(rates).forEach(row -> Arrays.fill(row, 100));
        TrainingJob job = new TrainingJob(100, 1, bytes);
        return new RingAllReduceMarket(java.util.Collections.nCopies(jobs, job), rates, 1e9);
    }

    @ParameterizedTest
    @CsvSource({
        "3, 9, false, 28", // C(8,2)
        "4, 12, false, 165", // C(11,3)
        "5, 15, false, 1001", // C(14,4)
        "3, 9, true, 84", // C(9,3)
        "2, 2, false, 1"
    })
    void thereAreAsManyAsTheFormulaSays(int jobs, int workers, boolean idle, int count) {
        List<int[]> all = new Categories(market(jobs, workers, 0), idle).all(5000);

        assertThat(Categories.count(jobs, workers, idle)).isEqualTo(count);
        assertThat(all).hasSize(count);
        assertThat(all).allMatch(sizes -> Arrays.stream(sizes).min().orElse(0) >= 1);
        assertThat(all).allMatch(sizes -> idle || Arrays.stream(sizes).sum() == workers);
    }

    @Test
    void tooManyToListAreNotListed() {
        assertThat(new Categories(market(5, 15, 0), false).all(1000)).isEmpty();
    }

    @Test
    void uniformMeansThatEachIsAsLikely() {
        Categories categories = new Categories(market(3, 6, 0), false);
        Map<List<Integer>, Integer> seen = new HashMap<>();
        DeterministicRandom random = new DeterministicRandom(7);
        for (int i = 0; i < 20_000; i++) {
            seen.merge(Arrays.stream(categories.uniform(random)).boxed().toList(), 1, Integer::sum);
        }

        assertThat(seen).hasSize(10);
        assertThat(seen.values()).allSatisfy(n -> assertThat(n / 20_000.0).isCloseTo(0.1, within(0.01)));
    }

    @Test
    void theCentreGivesWorkersToTheJobThatNeedsThem() {
        TrainingJob small = new TrainingJob(100, 1, 0);
        TrainingJob large = new TrainingJob(100, 16, 0);
        double[][] rates = {{1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}};

        // time falls as 1/k, so sizes go with the square root of the work: 1 to 4
        assertThat(new Categories(new RingAllReduceMarket(List.of(small, large), rates, 1e9), true).greedy())
                .containsExactly(1, 4);
    }

    /** 1 s on one worker; two take 0.5 + 0.6 s, three 0.33 + 0.8 s, but six 0.17 + 1.0 s: never better. */
    @Test
    void theCentreLeavesWorkersIdleThatWouldOnlyCommunicate() {
        assertThat(new Categories(market(1, 6, 0.6e9), true).greedy()).containsExactly(1);
        assertThat(new Categories(market(1, 6, 0.6e9), false).greedy()).containsExactly(6);
    }

    /** A second worker does not pay, because it is on another node; a third and a fourth pay for it. */
    @Test
    void theCentreLooksPastAStepThatDoesNotPay() {
        double[] bySize = {0, 10, 11, 8, 3};
        Market steps = new Market() {
            @Override
            public int jobs() {
                return 1;
            }

            @Override
            public int types() {
                return 1;
            }

            @Override
            public int workers(int type) {
                return 4;
            }

            @Override
            public double rate(int job, int type) {
                return 1;
            }

            @Override
            public double work(int job) {
                return 10;
            }

            @Override
            public double seconds(int job, double rate, int workers) {
                return bySize[workers];
            }
        };

        assertThat(new Categories(steps, true).greedy()).containsExactly(4);
    }

    @Test
    void samplesDifferAndKeepToTheWorkersThereAre() {
        RingAllReduceMarket market = market(5, 20, 1e8);
        List<int[]> samples = new Categories(market, true).sample(50, 0.5, true, new DeterministicRandom(1));

        assertThat(samples.stream().map(Arrays::toString).distinct()).hasSize(50);
        assertThat(samples)
                .allMatch(s ->
                        Arrays.stream(s).sum() <= 20 && Arrays.stream(s).min().orElse(0) >= 1);
    }

    @Test
    void moreJobsThanWorkersAreRejected() {
        assertThatThrownBy(() -> new Categories(market(3, 2, 0), true)).hasMessageContaining("at least 3 workers");
    }
}
