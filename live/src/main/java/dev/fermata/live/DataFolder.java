package dev.fermata.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The daemon's folder: nobody else's business. */
public final class DataFolder {
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    /** Jobs of other accounts must get through to their own folders, but see nothing on the way. */
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private DataFolder() {}

    /** Makes it when it is not there. */
    public static void make(Path folder) {
        try {
            boolean made = !Files.exists(folder);
            Files.createDirectories(folder);
            if (made) {
                Files.setPosixFilePermissions(folder, isRoot(folder) ? PASSABLE : OWN);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder " + folder + " cannot be made: " + e.getMessage(), e);
        }
    }

    private static boolean isRoot(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid").equals(0);
    }
}
