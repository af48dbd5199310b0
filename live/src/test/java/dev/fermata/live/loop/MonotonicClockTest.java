package dev.fermata.live.loop;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MonotonicClockTest {
    private long wall = 1_000_000;
    private long nanos = 5;
    private final MonotonicClock clock = new MonotonicClock(() -> wall, () -> nanos);

    private long readAfter(long wallMillis, long passedMillis) {
        wall += wallMillis;
        nanos += passedMillis * 1_000_000;
        return clock.read();
    }

    @Test
    void followsTheWallClock() {
        assertThat(clock.read()).isEqualTo(1_000_000);
        assertThat(readAfter(70, 70)).isEqualTo(1_000_070);
        assertThat(readAfter(3_600_000, 5)).as("set ahead").isEqualTo(4_600_070);
    }

    @Test
    void advancesAtItsOwnRateWhenTheWallClockIsSetBack() {
        clock.read();
        assertThat(readAfter(-3_600_000, 0)).isEqualTo(1_000_000);
        assertThat(readAfter(250, 250)).isEqualTo(1_000_250);
        assertThat(readAfter(250, 250)).isEqualTo(1_000_500);
        assertThat(readAfter(3_600_000, 250)).as("caught up").isEqualTo(1_000_500);
    }

    @Test
    void startsNoEarlierThanTheHistory() {
        clock.advanceTo(2_000_000);
        assertThat(readAfter(10, 10)).isEqualTo(2_000_010);
        clock.advanceTo(1);
        assertThat(clock.read()).isEqualTo(2_000_010);
    }
}
