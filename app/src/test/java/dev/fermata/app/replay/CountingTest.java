package dev.fermata.app.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.app.replay.Counting.Telling;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountingTest {
    @Test
    void anAttemptTellsWhatItToldThen() {
        Telling first = new Telling(640, 142, 1.01);
        Telling second = new Telling(1_130, 200, 0.99);
        Counting counting = new Counting(100, List.of(first, second));
        assertThat(counting.telling(1)).isEqualTo(first);
        assertThat(counting.telling(2)).isEqualTo(second);
    }

    /** A first step, as many more as fill half a second, and a quarter until somebody looks. */
    @Test
    void oneThatNeverWasTellsAsUsual() {
        assertThat(new Counting(100, List.of()).telling(1)).isEqualTo(new Telling(100 + 500 + 250, 200, 1));
        assertThat(new Counting(300, List.of(new Telling(1, 1, 1))).telling(2))
                .isEqualTo(new Telling(300 + 600 + 250, 600, 1));
        assertThat(new Counting(4_000, List.of()).telling(1)).isEqualTo(new Telling(4_000 + 4_000 + 250, 8_000, 1));
    }
}
