package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old logs are removed; working directories, checkpoints and running attempts stay. */
class LogRetentionTest {
    private static final long NOW = TimeUnit.DAYS.toMillis(20_000);

    @TempDir
    Path attemptsFolder;

    private Path attempt(String name, long daysAgo) throws IOException {
        Path folder = Files.createDirectories(attemptsFolder.resolve(name));
        Files.writeString(folder.resolve("stdout.0"), "text");
        Files.createDirectories(folder.resolve("own/deep"));
        Files.setLastModifiedTime(folder, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(daysAgo)));
        return folder;
    }

    @Test
    void oldAttemptsAreRemoved() throws IOException {
        Path old = attempt("1/1", 40);
        Path fresh = attempt("1/2", 2);
        Path alive = attempt("2/1", 90);
        Path checkpoints = Files.createDirectories(attemptsFolder.resolve("1/checkpoints"));
        Path work = Files.createDirectories(attemptsFolder.resolve("1/work"));
        Path outside = Files.writeString(attemptsFolder.resolve("precious"), "x");
        Files.createSymbolicLink(old.resolve("link"), outside);
        Files.setLastModifiedTime(old, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(40)));

        int removed = new LogRetention(attemptsFolder, 30, 100).clean("2.1"::equals, NOW);

        assertThat(removed).isEqualTo(1);
        assertThat(old).doesNotExist();
        assertThat(fresh).exists();
        assertThat(alive).exists();
        assertThat(checkpoints).exists();
        assertThat(work).exists();
        assertThat(outside).exists();
    }

    @Test
    void undeletableFolderDoesNotBlockOthers() throws IOException {
        Files.createSymbolicLink(
                attemptsFolder.resolve("1"), Path.of("/proc/self/task")); // not even root can remove its content
        Path old = attempt("2/1", 40);

        assertThat(new LogRetention(attemptsFolder, 30, 0).clean(name -> false, NOW))
                .isEqualTo(1);

        assertThat(old).doesNotExist();
    }

    @Test
    void numberOfKeptAttemptsIsLimited() throws IOException {
        for (int i = 1; i <= 10; i++) {
            attempt(i + "/1", i);
        }

        assertThat(new LogRetention(attemptsFolder, 30, 4).clean(name -> false, NOW))
                .isEqualTo(6);

        assertThat(attemptsFolder.resolve("4/1")).exists();
        assertThat(attemptsFolder.resolve("5/1")).doesNotExist();
    }
}
