package dev.fermata.live.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says that a daemon works on a database file: a lock on a file beside it, which the system frees when the process ends,
 * however it ends. The file holds the process id, for the message that the next one gets.
 */
final class FolderLock {
    /**
     * What this process holds. Such a lock belongs to the process, and closing any channel to the file would free it: nobody here
     * may open the file of a lock that is held.
     */
    private static final Set<Path> HELD = new HashSet<>();

    private final Path database;
    private final Path file;
    private @Nullable FileChannel channel;

    /** @param database its real path: the same for every link that leads to it */
    FolderLock(Path database) {
        this.database = database;
        this.file = database.resolveSibling(database.getFileName() + ".lock");
    }

    /** Throws when another daemon has it. */
    void take() {
        synchronized (HELD) {
            if (channel != null) {
                return;
            }
            if (HELD.contains(file)) {
                throw taken("this process itself");
            }
            try {
                channel = locked();
                HELD.add(file);
            } catch (IOException e) {
                throw new StoreException("cannot lock " + file + ": " + e.getMessage(), true, e);
            }
        }
    }

    private FileChannel locked() throws IOException {
        FileChannel opened = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            FileLock lock = opened.tryLock();
            if (lock == null) {
                throw taken("pid " + Files.readString(file, UTF_8).strip());
            }
            opened.truncate(0);
            opened.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)), 0);
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private StoreException taken(String by) {
        return new StoreException(
                "another daemon (" + by + ") works on " + database
                        + ". Stop it first, or choose another folder with --data.",
                false);
    }

    void release() {
        synchronized (HELD) {
            FileChannel held = channel;
            channel = null;
            if (held != null) {
                try {
                    held.close();
                } catch (IOException e) {
                    // Closed all the same; the end of the process frees it at the latest.
                } finally {
                    HELD.remove(file);
                }
            }
        }
    }
}
