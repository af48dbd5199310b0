package dev.fermata.live.conductor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SteadyClockTest {
    private long wall = 1_000_000;
    private long nanos = 5;
    private final SteadyClock clock = new SteadyClock(() -> wall, () -> nanos);

    private long after(long wallMillis, long passedMillis) {
        wall += wallMillis;
        nanos += passedMillis * 1_000_000;
        return clock.read();
    }

    @Test
    void goesWithTheWallClock() {
        assertThat(clock.read()).isEqualTo(1_000_000);
        assertThat(after(70, 70)).isEqualTo(1_000_070);
        assertThat(after(3_600_000, 5)).as("set ahead").isEqualTo(4_600_070);
    }

    @Test
    void goesOnAtItsOwnSpeedWhenTheWallClockIsSetBack() {
        clock.read();
        assertThat(after(-3_600_000, 0)).isEqualTo(1_000_000);
        assertThat(after(250, 250)).isEqualTo(1_000_250);
        assertThat(after(250, 250)).isEqualTo(1_000_500);
        assertThat(after(3_600_000, 250)).as("caught up").isEqualTo(1_000_500);
    }

    @Test
    void beginsNoEarlierThanTheHistory() {
        clock.notBefore(2_000_000);
        assertThat(after(10, 10)).isEqualTo(2_000_010);
        clock.notBefore(1);
        assertThat(clock.read()).isEqualTo(2_000_010);
    }
}
