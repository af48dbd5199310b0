package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** No step of the wall clock moves a deadline of the engine. */
class SteadyClockTest {
    private static final Path SOURCES = Path.of("src/main/java/dev/fermata/engine/local");

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
    void engineReadsTheWallClockNowhereElse() throws IOException {
        try (var files = Files.list(SOURCES)) {
            for (Path file : files.toList()) {
                if (!file.endsWith("SteadyClock.java")) {
                    assertThat(Files.readString(file)).as("%s", file).doesNotContain("currentTimeMillis");
                }
            }
        }
    }
}
