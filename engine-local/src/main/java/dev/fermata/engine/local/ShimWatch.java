package dev.fermata.engine.local;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Waits for the exit of a shim that is not a child of this process. Only the shim holds the pipe {@code alive} open for
 * writing, so a read ends when the shim exits, however it does, without polling.
 */
final class ShimWatch {
    private static final long POLL_MILLIS = 250;

    private ShimWatch() {}

    static void awaitExit(AttemptFolder folder) throws InterruptedException {
        AttemptFolder.ProcessRef shim = folder.shim();
        if (shim == null) {
            return;
        }
        try {
            readToEnd(folder.file("alive"));
        } catch (IOException e) {
            // A job under the daemon's account may have deleted the pipe: then only polling is left.
            Thread.sleep(POLL_MILLIS);
        }
        while (shim.alive()) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    private static void readToEnd(Path pipe) throws IOException {
        if (!Files.readAttributes(pipe, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException(pipe + " is not a pipe");
        }
        // Opening a pipe for reading blocks without a writer. The daemon is one for a moment, so that a shim that has
        // just exited does not block it.
        RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw");
        try (InputStream in = new FileInputStream(pipe.toFile())) {
            writer.close();
            int read = 0;
            while (read >= 0) {
                read = in.read(); // nothing is written here
            }
        } finally {
            writer.close();
        }
    }
}
