package dev.fermata.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data folder is the daemon's alone. */
class DataFolderTest {
    @TempDir
    Path folder;

    private Path withMode(String mode) throws IOException {
        Path data = Files.createDirectory(folder.resolve("data"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString(mode));
        return data;
    }

    @Test
    void folderThatEveryoneMayWriteToIsRefused() throws IOException {
        Path data = withMode("rwxrwxrwx");

        assertThatThrownBy(() -> DataFolder.create(data))
                .hasMessageContaining("can be written to by every account (rwxrwxrwx)");
    }

    @Test
    void groupLosesItsRightToWrite() throws IOException {
        Path data = withMode("rwxrwxr-x");

        DataFolder.create(data);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .isEqualTo("rwxr-xr-x");
    }

    @Test
    void folderOfAnotherAccountIsRefused() {
        Path foreign = "root".equals(System.getProperty("user.name")) ? foreign() : Path.of("/");

        assertThatThrownBy(() -> DataFolder.create(foreign)).hasMessageContaining("belongs to another account (uid");
    }

    private Path foreign() {
        try {
            Path data = withMode("rwx------");
            Files.setAttribute(data, "unix:uid", 65534);
            return data;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void freshFolderIsPrivate() throws IOException {
        Path data = folder.resolve("fresh");

        DataFolder.create(data);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(data)))
                .endsWith(modeOfOthers());
    }

    private static String modeOfOthers() {
        return "root".equals(System.getProperty("user.name")) ? "--x--x" : "------";
    }
}
