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
 * Says that one daemon works on something: a lock on a file beside it, which the system frees when the process ends, however it ends.
 * The file holds the process id, for the message that the next one gets.
 */
public final class SoleUse implements AutoCloseable {
    /** Another daemon has it; the message is who, such as {@code pid 4711}. */
    public static final class Taken extends IOException {
        private static final long serialVersionUID = 1;

        Taken(String by) {
            super(by);
        }
    }

    /**
     * What this process holds. Such a lock belongs to the process, and closing any channel to the file would free it: nobody here
     * may open the file of a lock that is held.
     */
    private static final Set<Path> HELD = new HashSet<>();

    private final Path file;
    private @Nullable FileChannel channel;

    /** @param file its real path: the same for every link that leads to it */
    public SoleUse(Path file) {
        this.file = file;
    }

    public void take() throws IOException {
        synchronized (HELD) {
            if (channel != null) {
                return;
            }
            if (HELD.contains(file)) {
                throw new Taken("this process itself");
            }
            channel = locked();
            HELD.add(file);
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
                throw new Taken("pid " + Files.readString(file, UTF_8).strip());
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
                    // Closed all the same; the end of the process frees it at the latest.
                } finally {
                    HELD.remove(file);
                }
            }
        }
    }
}
