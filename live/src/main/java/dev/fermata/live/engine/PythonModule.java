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
public final class PythonModule {
    private static final String HELPER = "fermata.py";

    private PythonModule() {}

    /**
     * Installs this version's helper in {@code DATA/python}. Running jobs may be reading an earlier one, so it is replaced
     * atomically, and only when it differs. Returns the folder, which belongs at the end of {@code PYTHONPATH}.
     */
    public static Path install(Path data) {
        try {
            byte[] helper = readHelper();
            Path folder = Files.createDirectories(data.resolve("python"));
            Path file = folder.resolve(HELPER);
            if (!Arrays.equals(helper, readBytes(file))) {
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

    private static byte[] readBytes(Path file) throws IOException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        }
    }

    private static byte[] readHelper() throws IOException {
        try (InputStream in = PythonModule.class.getResourceAsStream("python/" + HELPER)) {
            if (in == null) {
                throw new IllegalStateException("python/" + HELPER + " is missing from this build");
            }
            return in.readAllBytes();
        }
    }
}
