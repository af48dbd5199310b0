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
            } else {
                requirePrivate(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the data folder " + folder + " cannot be created: " + e.getMessage(), e);
        }
    }

    /** A folder that others may write to, or own, is a way to run code as this account: libraries are loaded from it. */
    private static void requirePrivate(Path folder) throws IOException {
        Object owner = Files.getAttribute(folder, "unix:uid");
        Object self = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        if (!owner.equals(self)) {
            throw new IllegalStateException("the data folder " + folder + " belongs to another account (uid " + owner
                    + "). Choose another folder with --data, or give it to this account: chown");
        }
        Set<PosixFilePermission> mode = Files.getPosixFilePermissions(folder);
        if (mode.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IllegalStateException("the data folder " + folder + " can be written to by every account ("
                    + PosixFilePermissions.toString(mode) + "). Choose another folder with --data");
        }
        if (mode.remove(PosixFilePermission.GROUP_WRITE)) { // the umask of many systems allows it
            Files.setPosixFilePermissions(folder, mode);
        }
    }

    private static boolean isRoot(Path folder) throws IOException {
        return Files.getAttribute(folder, "unix:uid").equals(0);
    }
}
