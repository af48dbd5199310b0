package dev.fermata.engine.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Old logs are removed; working directories, checkpoints and running attempts stay. */
class LogRetentionTest {
    private static final long NOW = TimeUnit.DAYS.toMillis(20_000);
    private static final long OLDEST = NOW - TimeUnit.DAYS.toMillis(30);

    /** Exchanges two names at once as soon as the first one's folder changes. */
    private static final String SWAP = """
        import ctypes, os, sys
        libc = ctypes.CDLL(None)
        before = os.stat(sys.argv[1]).st_mtime_ns
        print("ready", flush=True)
        while os.stat(sys.argv[1]).st_mtime_ns == before:
            pass
        libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)
        """;

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

        int removed = new LogRetention(attemptsFolder, 100, Long.MAX_VALUE).clean("2.1"::equals, OLDEST);

        assertThat(removed).isEqualTo(1);
        assertThat(old).doesNotExist();
        assertThat(fresh).exists();
        assertThat(alive).exists();
        assertThat(checkpoints).exists();
        assertThat(work).exists();
        assertThat(outside).exists();
    }

    @Test
    void folderThatVanishesDuringTheScanDoesNotBlockOthers() throws IOException {
        Path first = attempt("1/1", 40);
        Path second = attempt("2/1", 40);

        // Each is removed just before its age is read.
        assertThat(new LogRetention(attemptsFolder, 0, Long.MAX_VALUE)
                        .clean(name -> removeOf(name, "1.1", first), OLDEST))
                .isEqualTo(1);

        assertThat(first).doesNotExist();
        assertThat(second).doesNotExist();
    }

    @Test
    void folderThatCannotBeRemovedDoesNotBlockOthers() throws IOException {
        List<Path> folders = List.of(attempt("1/1", 40), attempt("2/1", 40), attempt("3/1", 40));
        List<String> seen = new ArrayList<>();

        // The first one listed is gone when its turn to be removed comes.
        int removed = new LogRetention(attemptsFolder, 0, Long.MAX_VALUE)
                .clean(
                        name -> {
                            seen.add(name.replace('.', '/'));
                            return seen.size() == 3 && removeOf(name, name, attemptsFolder.resolve(seen.get(0)));
                        },
                        NOW);

        assertThat(removed).isEqualTo(2);
        assertThat(folders).allSatisfy(folder -> assertThat(folder).doesNotExist());
    }

    @Test
    void linkInPlaceOfAJobFolderIsNotFollowed(@TempDir Path outside) throws IOException {
        Path kept = Files.createDirectories(outside.resolve("1"));
        Files.setLastModifiedTime(kept, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(40)));
        Files.createSymbolicLink(attemptsFolder.resolve("1"), outside);
        Path old = attempt("2/1", 40);

        assertThat(new LogRetention(attemptsFolder, 0, Long.MAX_VALUE).clean(name -> false, OLDEST))
                .isEqualTo(1);

        assertThat(kept).exists();
        assertThat(old).doesNotExist();
    }

    /** Removes the folder when its attempt is asked about; never says that the attempt is alive. */
    private static boolean removeOf(String asked, String name, Path folder) {
        if (asked.equals(name)) {
            try {
                Files.delete(folder.resolve("own/deep"));
                Files.delete(folder.resolve("own"));
                Files.delete(folder.resolve("stdout.0"));
                Files.delete(folder);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return false;
    }

    @Test
    void numberOfKeptAttemptsIsLimited() throws IOException {
        for (int i = 1; i <= 10; i++) {
            attempt(i + "/1", i);
        }

        assertThat(new LogRetention(attemptsFolder, 4, Long.MAX_VALUE).clean(name -> false, OLDEST))
                .isEqualTo(6);

        assertThat(attemptsFolder.resolve("4/1")).exists();
        assertThat(attemptsFolder.resolve("5/1")).doesNotExist();
    }

    @Test
    void sizeOfKeptLogsIsLimited() throws IOException {
        for (int i = 1; i <= 10; i++) {
            Path attempt = attempt(i + "/1", 1);
            Files.write(attempt.resolve("stdout.4"), new byte[100_000]);
            Files.setLastModifiedTime(attempt, FileTime.fromMillis(NOW - i));
        }

        assertThat(new LogRetention(attemptsFolder, 1000, 350_000).clean(name -> false, OLDEST))
                .isEqualTo(7);

        assertThat(attemptsFolder.resolve("3/1")).exists();
        assertThat(attemptsFolder.resolve("4/1")).doesNotExist();
    }

    /** The user of an ended attempt swaps a folder that is being removed with a link to files of others. */
    @Test
    void folderThatBecomesALinkMeanwhileIsNotFollowed(@TempDir Path outside) throws Exception {
        Path old = attempt("1/1", 1);
        Path swapped = Files.createDirectories(old.resolve("own/swapped"));
        Path precious = Files.createDirectories(outside.resolve("precious"));
        for (int i = 0; i < 8_000; i++) {
            Files.createFile(swapped.resolve("file" + i));
            Files.createFile(precious.resolve("file" + i));
        }
        Path link = Files.createSymbolicLink(
                Files.createDirectories(attemptsFolder.resolve("1/work")).resolve("link"), precious);
        Files.setLastModifiedTime(old, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(40)));
        Process user = new ProcessBuilder("python3", "-c", SWAP, swapped.toString(), link.toString()).start();
        assertThat(user.inputReader().readLine()).isEqualTo("ready");

        new LogRetention(attemptsFolder, 100, Long.MAX_VALUE).clean(name -> false, OLDEST);
        user.destroyForcibly().waitFor();

        assertThat(numberOf(precious)).isEqualTo(8_000);
    }

    private static int numberOf(Path folder) {
        String[] names = folder.toFile().list();
        return names == null ? 0 : names.length;
    }

    @Test
    void deepFoldersAreRemoved() throws Exception {
        Path old = attempt("1/1", 1);
        // Too deep for a path, and for an open folder per level.
        Process deep = new ProcessBuilder(
                        "sh", "-c", "i=0; while [ $i -lt 1500 ]; do mkdir d; cd d || exit 1; i=$((i+1)); done; : >x")
                .directory(old.resolve("own").toFile())
                .start();
        assertThat(deep.waitFor()).isZero();
        Files.setLastModifiedTime(old, FileTime.fromMillis(NOW - TimeUnit.DAYS.toMillis(40)));

        assertThat(new LogRetention(attemptsFolder, 100, Long.MAX_VALUE).clean(name -> false, OLDEST))
                .isEqualTo(1);

        assertThat(old).doesNotExist();
    }
}
