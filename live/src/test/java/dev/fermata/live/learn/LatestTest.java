package dev.fermata.live.learn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Held against a plain list that is sorted anew each time. */
class LatestTest {
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 64})
    void knowsTheLatestInBothOrders(int kept) {
        Random random = new Random(kept);
        Latest latest = new Latest(kept);
        List<Long> came = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            long value = random.nextInt(20);
            if (random.nextInt(4) == 0) {
                long instead = random.nextInt(20);
                int at = came.lastIndexOf(value);
                assertThat(latest.replace(value, instead)).isEqualTo(at >= 0);
                if (at >= 0) {
                    came.set(at, instead);
                }
            } else {
                latest.add(value);
                came.add(value);
                if (came.size() > kept) {
                    came.remove(0);
                }
            }
            assertThat(latest.values()).isEqualTo(came);
            assertThat(latest.count()).isEqualTo(came.size());
            if (!came.isEmpty()) {
                assertThat(latest.spread()).isEqualTo(Spread.of(came));
                assertThat(latest.quantile(0.9)).isEqualTo(Spread.of(came).p90());
                assertThat(latest.most())
                        .isEqualTo(came.stream().max(Long::compare).orElseThrow());
            }
        }
    }
}
