package dev.fermata.live.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old logs go; work, checkpoints and whatever runs stay. */
class RetentionTest {
    private static final long NOW = TimeUnit.DAYS.toMillis(20_000);

    @TempDir
    Path runs;

    private Path attempt(String name, long daysAgo) throws IOException {
        Path folder = Files.createDirectories(runs.resolve(name));
        Files.writeString(folder.resolve("stdout.0"), "text");
        Files.createDirectories(folder.resolve("own/deep"));
        Files.setLastModifiedTime(folder, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(daysAgo)));
        return folder;
    }

    @Test
    void attemptsThatEndedLongAgoAreRemoved() throws IOException {
        Path old = attempt("1/1", 40);
        Path fresh = attempt("1/2", 2);
        Path alive = attempt("2/1", 90);
        Path checkpoints = Files.createDirectories(runs.resolve("1/checkpoints"));
        Path work = Files.createDirectories(runs.resolve("1/work"));
        Path outside = Files.writeString(runs.resolve("precious"), "x");
        Files.createSymbolicLink(old.resolve("link"), outside);
        Files.setLastModifiedTime(old, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(40)));

        int removed = new Retention(runs, 30, 100).clean("2.1"::equals, NOW);

        assertThat(removed).isEqualTo(1);
        assertThat(old).doesNotExist();
        assertThat(fresh).exists();
        assertThat(alive).exists();
        assertThat(checkpoints).exists();
        assertThat(work).exists();
        assertThat(outside).exists();
    }

    @Test
    void aFolderThatCannotBeRemovedHoldsUpNoOther() throws IOException {
        Files.createSymbolicLink(
                runs.resolve("1"), Path.of("/proc/self/task")); // not even root can remove what is there
        Path old = attempt("2/1", 40);

        assertThat(new Retention(runs, 30, 0).clean(name -> false, NOW)).isEqualTo(1);

        assertThat(old).doesNotExist();
    }

    @Test
    void onlySoManyAreKept() throws IOException {
        for (int i = 1; i <= 10; i++) {
            attempt(i + "/1", i);
        }

        assertThat(new Retention(runs, 30, 4).clean(name -> false, NOW)).isEqualTo(6);

        assertThat(runs.resolve("4/1")).exists();
        assertThat(runs.resolve("5/1")).doesNotExist();
    }
}
