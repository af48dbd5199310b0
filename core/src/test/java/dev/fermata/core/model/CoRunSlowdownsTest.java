package dev.fermata.core.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CoRunSlowdownsTest {
    private final CoRunSlowdowns slowdowns = new CoRunSlowdowns();

    @Test
    void answersAsTheModelDoesHoweverManyPairsItMet() {
        Random random = new Random(1);
        double[] shares = random.doubles(60, 0.01, 1).toArray();
        for (int i = 0; i < 20_000; i++) {
            Profile own = profile(shares[random.nextInt(shares.length)], Map.of());
            Profile other = profile(shares[random.nextInt(shares.length)], Map.of());
            assertThat(slowdowns.of(own, other)).isEqualTo(SpeedModel.coRunSlowdown(own, List.of(other)));
        }
    }

    @Test
    void whatWasMeasuredGoesBeforeTheFormula() {
        Profile own = profile(0.5, Map.of("other", 1.7));
        assertThat(slowdowns.of(profile(0.5, Map.of()), profile(0.4, Map.of()))).isLessThan(1.7);
        assertThat(slowdowns.of(own, profile(0.4, Map.of()).withName("other"))).isEqualTo(1.7);
    }

    @Test
    void aJobAloneIsNotSlowedDown() {
        assertThat(slowdowns.of(profile(0.9, Map.of()), null)).isEqualTo(1);
    }

    private static Profile profile(double busyShare, Map<String, Double> measured) {
        return new Profile("model", 100, busyShare, 0, 1, 0, Map.of(), measured);
    }
}
