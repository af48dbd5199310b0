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
        assertThat(readAfter(30_000, 5)).as("a little ahead").isEqualTo(1_030_070);
    }

    @Test
    void ignoresAWallClockThatIsAheadForMinutes() {
        clock.read();
        long tenYears = 3_650L * 86_400_000;
        assertThat(readAfter(tenYears, 5)).isEqualTo(1_000_005);
        assertThat(readAfter(300_000, 300_000)).isEqualTo(1_300_005);
        assertThat(readAfter(-tenYears, 10)).isEqualTo(1_300_000 + 15);
        assertThat(readAfter(tenYears, 0)).as("the next step is another one").isEqualTo(1_300_000 + 15);
        assertThat(readAfter(400_000, 400_000)).isEqualTo(1_700_000 + 15);
    }

    @Test
    void followsAWallClockThatStaysAhead() {
        clock.read();
        readAfter(3_600_000, 0);
        assertThat(readAfter(MonotonicClock.CONFIRM_MILLIS - 1, MonotonicClock.CONFIRM_MILLIS - 1))
                .isEqualTo(1_000_000 + MonotonicClock.CONFIRM_MILLIS - 1);
        assertThat(readAfter(1, 1)).isEqualTo(4_600_000 + MonotonicClock.CONFIRM_MILLIS);
    }

    @Test
    void followsAWallClockThatWasSetBackOnceItHasCaughtUp() {
        clock.read();
        assertThat(readAfter(-40L * 86_400_000, 1000)).isEqualTo(1_001_000);
        assertThat(readAfter(40L * 86_400_000, 1000)).isEqualTo(1_002_000);
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

    @Test
    void startsAtTheWallClockHoweverOldTheHistoryIs() {
        clock.advanceTo(0);
        assertThat(clock.read()).as("a new store").isEqualTo(1_000_000);

        MonotonicClock later = new MonotonicClock(() -> wall, () -> nanos);
        later.advanceTo(clock.read());
        wall += 30L * 86_400_000;
        assertThat(later.read()).as("a daemon that was away for a month").isEqualTo(wall);
    }
}
