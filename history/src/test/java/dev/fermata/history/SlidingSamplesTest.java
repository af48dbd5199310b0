package dev.fermata.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compared with a plain list that is sorted again each time. */
class SlidingSamplesTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void keepsLatestValuesInArrivalAndSortedOrder(int kept) {
        Random random = new Random(kept);
        SlidingSamples latest = new SlidingSamples(kept);
        List<Long> actual = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long value = random.nextInt(20);
            if (random.nextInt(4) == 0) {
                long instead = random.nextInt(20);
                int at = actual.lastIndexOf(value);
                assertThat(latest.replace(value, instead)).isEqualTo(at >= 0);
                if (at >= 0) {
                    actual.set(at, instead);
                }
            } else {
                latest.add(value);
                actual.add(value);
                if (actual.size() > kept) {
                    actual.remove(0);
                }
            }
            assertThat(latest.values()).isEqualTo(actual);
            assertThat(latest.count()).isEqualTo(actual.size());
            if (!actual.isEmpty()) {
                assertThat(latest.summary()).isEqualTo(SampleSummary.of(actual));
                assertThat(latest.quantile(0.9))
                        .isEqualTo(SampleSummary.of(actual).p90());
                assertThat(latest.max())
                        .isEqualTo(actual.stream().max(Long::compare).orElseThrow());
            }
        }
    }
}
