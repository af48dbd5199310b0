package dev.fermata.live.attempt;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** No step of the wall clock moves a deadline of the engine. */
class SteadyClockTest {
    private static final List<Path> SOURCES =
            List.of(Path.of("src/main/java/dev/fermata/live/attempt"), Path.of("../engine-local/src/main/java"));

    @Test
    void wallClockThatIsSetChangesNothing() {
        AtomicLong wall = new AtomicLong(1_000_000);
        AtomicLong nanos = new AtomicLong(-5);
        SteadyClock clock = new SteadyClock(wall::get, nanos::get);
        assertThat(clock.millis()).isEqualTo(1_000_000);

        wall.addAndGet(-TimeUnit.HOURS.toMillis(1));
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(250));
        assertThat(clock.millis()).isEqualTo(1_000_250);

        wall.addAndGet(TimeUnit.DAYS.toMillis(40));
        assertThat(clock.millis()).isEqualTo(1_000_250);
    }

    @Test
    void enginesReadTheWallClockNowhereElse() throws IOException {
        for (Path folder : SOURCES) {
            try (var files = Files.walk(folder)) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    if (!file.endsWith("SteadyClock.java")) {
                        assertThat(Files.readString(file)).as("%s", file).doesNotContain("currentTimeMillis");
                    }
                }
            }
        }
    }
}
