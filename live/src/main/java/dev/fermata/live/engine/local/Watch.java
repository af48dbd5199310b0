package dev.fermata.live.engine.local;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * Waits for the end of a shim that is not our child. It alone holds the pipe {@code alive} open for writing: reading from it ends at the
 * moment the shim does, however it ended, without asking again and again.
 */
final class Watch {
    private static final long LOOK_MILLIS = 250;

    private Watch() {}

    static void untilGone(RunFolder folder) throws InterruptedException {
        RunFolder.Known shim = folder.shim();
        if (shim == null) {
            return;
        }
        try {
            readToEnd(folder.file("alive"));
        } catch (IOException e) {
            // A job that runs as our own account may have deleted the pipe: then we can only look now and then.
            Thread.sleep(LOOK_MILLIS);
        }
        while (shim.alive()) {
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static void readToEnd(Path pipe) throws IOException {
        if (!Files.readAttributes(pipe, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new IOException(pipe + " is no pipe");
        }
        // Opening a pipe for reading waits for a writer. We are one for a moment, so that a shim that just ended keeps
        // nobody waiting.
        RandomAccessFile writer = new RandomAccessFile(pipe.toFile(), "rw");
        try (InputStream in = new FileInputStream(pipe.toFile())) {
            writer.close();
            int read = 0;
            while (read >= 0) {
                read = in.read(); // nobody writes here
            }
        } finally {
            writer.close();
        }
    }
}
