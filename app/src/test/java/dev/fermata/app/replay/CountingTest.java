package dev.fermata.app.replay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class CountingTest {
    @Test
    void anAttemptIsKnownWhenItWasKnownThen() {
        Counting counting = new Counting(100, List.of(640L, 1_130L));
        assertThat(counting.knownAfterMillis(1)).isEqualTo(640);
        assertThat(counting.knownAfterMillis(2)).isEqualTo(1_130);
    }

    /** A first step, as many more as fill half a second, and a quarter until somebody looks. */
    @Test
    void oneThatNeverWasIsKnownAsUsual() {
        assertThat(new Counting(100, List.of()).knownAfterMillis(1)).isEqualTo(100 + 500 + 250);
        assertThat(new Counting(300, List.of(1L)).knownAfterMillis(2)).isEqualTo(300 + 600 + 250);
        assertThat(new Counting(4_000, List.of()).knownAfterMillis(1)).isEqualTo(4_000 + 4_000 + 250);
    }
}
