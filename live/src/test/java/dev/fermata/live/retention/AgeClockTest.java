package dev.fermata.live.retention;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Age is the time that a daemon has watched. */
class AgeClockTest {
    private static final long DAY = 86_400_000;
    private static final long START = 20_000 * DAY;

    @TempDir
    Path folder;

    private AgeClock watchedFor(int days) throws IOException {
        AgeClock clock = AgeClock.in(folder.resolve("clock"));
        for (int day = 0; day <= days; day++) {
            clock.look(START + day * DAY);
        }
        return clock;
    }

    @Test
    void agesByWatchedDays() throws IOException {
        assertThat(watchedFor(50).before(30 * DAY)).isEqualTo(START + 20 * DAY);
    }

    @Test
    void nothingIsOldAtTheFirstLook() throws IOException {
        assertThat(watchedFor(0).before(1)).isLessThan(0);
        assertThat(watchedFor(0).before(DAY)).isLessThan(0);
    }

    @Test
    void stepOfFortyDaysCountsAsOneDay() throws IOException {
        AgeClock clock = watchedFor(50);
        clock.look(START + 90 * DAY);
        assertThat(clock.before(30 * DAY)).as("29 days before the step").isEqualTo(START + 21 * DAY);
    }

    @Test
    void stepAndWayBackChangeNothing() throws IOException {
        AgeClock clock = watchedFor(50);
        clock.look(START + 3650 * DAY);
        clock.look(START + 50 * DAY + 1);
        assertThat(clock.before(30 * DAY)).isEqualTo(START + 20 * DAY + 1);
        clock.look(START + 10 * DAY);
        assertThat(clock.before(5 * DAY)).isEqualTo(START + 5 * DAY);
    }

    @Test
    void continuesAfterARestart() throws IOException {
        watchedFor(50).look(START + 90 * DAY);
        AgeClock again = AgeClock.in(folder.resolve("clock"));
        again.look(START + 90 * DAY + 1);
        assertThat(again.before(30 * DAY)).isEqualTo(START + 21 * DAY + 1);
    }

    @Test
    void damagedFileBeginsAnotherClock() throws IOException {
        Files.writeString(folder.resolve("clock"), "x\n1\n");
        AgeClock clock = AgeClock.in(folder.resolve("clock"));
        clock.look(START);
        assertThat(clock.before(DAY)).isLessThan(0);
    }
}
