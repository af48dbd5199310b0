package dev.fermata.app.house;

import dev.fermata.app.exit.Complaint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/** The folder of the daemon: nobody else looks into it. */
final class DataFolder {
    private DataFolder() {}

    /** Makes it when it is not there. */
    static Path open(Path wanted) {
        Path folder = wanted.toAbsolutePath().normalize();
        try {
            if (!Files.isDirectory(folder)) {
                Files.createDirectories(folder);
                // As root the jobs of others must be able to pass through; they cannot list it.
                Files.setPosixFilePermissions(
                        folder, PosixFilePermissions.fromString(isRoot() ? "rwx--x--x" : "rwx------"));
            }
        } catch (IOException e) {
            throw Complaint.failed("--data: folder '" + folder + "' cannot be made: " + reason(e), e);
        }
        if (!Files.isWritable(folder)) {
            throw Complaint.failed("--data: folder '" + folder + "' cannot be written. Name another one by --data.");
        }
        return folder;
    }

    private static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static String reason(IOException e) {
        return e instanceof java.nio.file.FileSystemException f && f.getReason() != null
                ? f.getReason()
                : e.getClass().getSimpleName() + " " + e.getMessage();
    }
}
