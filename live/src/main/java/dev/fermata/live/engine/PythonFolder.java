package dev.fermata.live.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/** The folder that makes {@code import fermata} work in every job, with nothing to install. */
public final class PythonFolder {
    private static final String HELPER = "fermata.py";

    private PythonFolder() {}

    /**
     * Puts the helper of this version into {@code DATA/python}, where running jobs may be reading that of an earlier one: it is
     * replaced as a whole, and only when it differs. Returns the folder, which belongs at the end of {@code PYTHONPATH}.
     */
    public static Path write(Path data) {
        try {
            byte[] helper = helper();
            Path folder = Files.createDirectories(data.resolve("python"));
            Path file = folder.resolve(HELPER);
            if (!Arrays.equals(helper, bytesOf(file))) {
                Path fresh = Files.createTempFile(folder, HELPER, ".new");
                Files.write(fresh, helper);
                // Jobs of other accounts read it too.
                Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-r--r--"));
                Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
            }
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write " + data.resolve("python").resolve(HELPER), e);
        }
    }

    private static byte[] bytesOf(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    private static byte[] helper() throws IOException {
        try (InputStream in = PythonFolder.class.getResourceAsStream("python/" + HELPER)) {
            if (in == null) {
                throw new IllegalStateException("python/" + HELPER + " is missing from this build");
            }
            return in.readAllBytes();
        }
    }
}
