package dev.fermata.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** The daemon's data folder, private to its account. */
public final class DataFolder {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");
    /** For a daemon of root: jobs of other accounts can reach their own folders but list nothing. */
    private static final Set<PosixFilePermission> TRAVERSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private DataFolder() {}

    /** Creates the folder if it does not exist. */
    public static void create(Path folder) {
        try {
            boolean created = !Files.exists(folder);
            Files.createDirectories(folder);
            if (created) {
                Files.setPosixFilePermissions(folder, isRoot(folder) ? TRAVERSABLE : OWNER_ONLY);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder " + folder + " cannot be created: " + e.getMessage(), e);
        }
    }

    private static boolean isRoot(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid").equals(0);
    }
}
