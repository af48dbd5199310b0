package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.fermata.live.engine.JobSpecBuilder;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A daemon that stays up for months still removes old attempts. */
class CleaningTest {
    @TempDir
    Path data;

    private final AtomicLong nanos = new AtomicLong();

    private LocalEngineFixture fixture() {
        LocalEngineSettings.RetentionLimits keep = new LocalEngineSettings.RetentionLimits(30, 100, Long.MAX_VALUE);
        return new LocalEngineFixture(data, settings -> settings.keep(keep), nanos::get);
    }

    /** A daemon has watched the clock until then. */
    private void watchedUntil(long daysAgo) throws IOException {
        Files.writeString(data.resolve("age-clock"), daysAgo(daysAgo) + "\n");
    }

    private static long daysAgo(long days) {
        return System.currentTimeMillis() - TimeUnit.DAYS.toMillis(days);
    }

    private Path endedAttempt(int job, long daysAgo) throws IOException {
        Path folder = Files.createDirectories(data.resolve("attempts/" + job + "/1"));
        Files.setLastModifiedTime(folder, FileTime.fromMillis(daysAgo(daysAgo)));
        return folder;
    }

    @Test
    void clockThatIsAheadAtTheStartRemovesNothing() throws IOException {
        Path fresh = endedAttempt(1, 42);
        Path old = endedAttempt(2, 80);
        watchedUntil(40);

        try (LocalEngineFixture fixture = fixture()) {
            LocalEngineFixture.awaitUntil(() -> Files.notExists(old));
            fixture.awaitEnd(fixture.startAndAwaitRunning(3, new JobSpecBuilder("true")));
        }
        assertThat(fresh).exists();
    }

    @Test
    void oldAttemptsAreRemovedEveryHourAndNotOnlyAtTheStart() throws IOException {
        watchedUntil(0);
        try (LocalEngineFixture fixture = fixture()) {
            Launch old = fixture.startAndAwaitRunning(1, new JobSpecBuilder("true"));
            fixture.awaitEnd(old);
            Path folder = fixture.folder(old);
            Files.setLastModifiedTime(folder, FileTime.fromMillis(daysAgo(40)));
            assertThat(folder).exists();

            nanos.addAndGet(TimeUnit.MINUTES.toNanos(61));
            fixture.awaitEnd(fixture.startAndAwaitRunning(2, new JobSpecBuilder("true")));

            LocalEngineFixture.awaitUntil(() -> Files.notExists(folder));
        }
    }
}
