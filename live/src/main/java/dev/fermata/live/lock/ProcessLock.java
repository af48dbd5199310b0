package dev.fermata.live.lock;

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
 * A file lock that one process holds. The system releases it when the process ends for any reason. The file contains the
 * process id, for the message to the next process.
 */
public final class ProcessLock implements AutoCloseable {
    /** Another process holds the lock; the message names it, such as {@code pid 4711}. */
    public static final class HeldByAnotherException extends IOException {
        private static final long serialVersionUID = 1;

        HeldByAnotherException(String by) {
            super(by);
        }
    }

    /**
     * Locks that this process holds. A lock belongs to the process, and closing any channel to its file releases it, so the
     * file of a held lock is never opened again.
     */
    private static final Set<Path> HELD = new HashSet<>();

    private final Path file;
    private @Nullable FileChannel channel;

    /** @param file the real path, the same for every link to it */
    public ProcessLock(Path file) {
        this.file = file;
    }

    public void acquire() throws IOException {
        synchronized (HELD) {
            if (channel != null) {
                return;
            }
            if (HELD.contains(file)) {
                throw new HeldByAnotherException("this process itself");
            }
            channel = openLocked();
            HELD.add(file);
        }
    }

    private FileChannel openLocked() throws IOException {
        FileChannel opened = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try {
            FileLock lock = opened.tryLock();
            if (lock == null) {
                throw new HeldByAnotherException(
                        "pid " + Files.readString(file, UTF_8).strip());
            }
            opened.truncate(0);
            opened.write(ByteBuffer.wrap((ProcessHandle.current().pid() + "\n").getBytes(UTF_8)), 0);
            return opened;
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    @Override
    public void close() {
        synchronized (HELD) {
            FileChannel held = channel;
            channel = null;
            if (held != null) {
                try {
                    held.close();
                } catch (IOException e) {
                    // The end of the process releases the lock at the latest.
                } finally {
                    HELD.remove(file);
                }
            }
        }
    }
}
