package dev.fermata.core.policy.ranking;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bounds against a plain array. */
class RankBoundsTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8, 21, 64})
    void findsTheNodesThatAWalkFinds(int nodes) {
        Random random = new Random(nodes);
        RankBounds bounds = new RankBounds(nodes);
        double[] plain = new double[nodes];
        Arrays.fill(plain, RankBounds.NONE);
        for (int i = 0; i < 1000; i++) {
            int node = random.nextInt(nodes);
            double rank = random.nextInt(10) == 0
                    ? RankBounds.NONE
                    : RankBounds.of(random.nextInt(3), random.nextLong(1L << 50));
            if (random.nextBoolean()) {
                bounds.lower(node, rank);
                plain[node] = Math.max(plain[node], rank);
            } else {
                bounds.set(node, rank);
                plain[node] = rank;
            }
            double asked = RankBounds.of(random.nextInt(3), random.nextLong(1L << 50));
            int from = random.nextInt(nodes + 1);
            assertThat(bounds.next(from, asked))
                    .isEqualTo(IntStream.range(from, nodes)
                            .filter(n -> plain[n] >= asked)
                            .findFirst()
                            .orElse(-1));
        }
    }

    @Test
    void levelsDecideBeforeKeysAndRoundingChangesNoOrder() {
        assertThat(RankBounds.of(1, Long.MIN_VALUE / 4)).isGreaterThan(RankBounds.of(0, Long.MAX_VALUE / 4));
        assertThat(RankBounds.of(-3, 5)).isLessThan(RankBounds.of(-2, 4));
        assertThat(RankBounds.of(7, 1_000_000_001)).isGreaterThanOrEqualTo(RankBounds.of(7, 1_000_000_000));
    }

    @Test
    void keysThatRiseHaveNoBound() {
        assertThat(RankBounds.of(0, 5, 1, 10)).isInfinite();
        assertThat(RankBounds.of(0, 50, -1, 10)).isEqualTo(40);
    }
}
