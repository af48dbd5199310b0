package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

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

    @Test
    void oldAttemptsAreRemovedEveryHourAndNotOnlyAtTheStart() throws IOException {
        try (LocalEngineFixture fixture =
                new LocalEngineFixture(data, settings -> settings.keep(30, 100), nanos::get)) {
            Launch old = fixture.startAndAwaitRunning(1, new JobSpecBuilder("true"));
            fixture.awaitEnd(old);
            Path folder = fixture.folder(old);
            long longAgo = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(40);
            Files.setLastModifiedTime(folder, FileTime.fromMillis(longAgo));
            assertThat(folder).exists();

            nanos.addAndGet(TimeUnit.MINUTES.toNanos(61));
            fixture.awaitEnd(fixture.startAndAwaitRunning(2, new JobSpecBuilder("true")));

            LocalEngineFixture.awaitUntil(() -> Files.notExists(folder));
        }
    }
}
