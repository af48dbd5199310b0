package dev.fermata.insight.file;

import dev.fermata.insight.exit.UserError;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.zip.GZIPOutputStream;

/**
 * A file that appears whole or not at all: written under another name in the same folder, renamed by {@link #commit}.
 * Closing without a commit removes it, and so does the end of the JVM.
 */
public final class AtomicFile implements AutoCloseable {
    private static final int ZIP_BUFFER = 1 << 16;

    private final Path given;
    private final Path target;
    private final Path temporary;
    private final OutputStream stream;
    private final Writer writer;
    private boolean done;

    private AtomicFile(Path given, Path target, Path part, OutputStream stream) {
        this.given = given;
        this.target = target;
        this.temporary = part;
        this.stream = stream;
        this.writer = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
    }

    /** Opens it now, so that an unwritable path is known before the work begins. Names in .gz are compressed. */
    public static AtomicFile open(String name) {
        Path given = Path.of(name);
        boolean zipped = name.endsWith(".gz");
        try {
            if (Files.isDirectory(given)) {
                throw UserError.failed("cannot write '" + name + "': it is a folder");
            }
            if (Files.exists(given) && !Files.isRegularFile(given)) {
                return new AtomicFile(
                        given, given, given, stream(given, zipped, StandardOpenOption.WRITE)); // a device or a pipe
            }
            Path target = Files.exists(given) ? given.toRealPath() : given.toAbsolutePath();
            Path folder = target.getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                throw UserError.failed("cannot write '" + name + "': folder '" + folder + "' does not exist");
            }
            if (Files.exists(target) && !Files.isWritable(target)) {
                throw UserError.failed("cannot write '" + name + "': permission denied");
            }
            Path part = folder.resolve(
                    "." + target.getFileName() + "." + ProcessHandle.current().pid() + ".part");
            part.toFile().deleteOnExit();
            OutputStream stream = stream(
                    part,
                    zipped,
                    StandardOpenOption.CREATE,
                    StandardOpenOption.TRUNCATE_EXISTING,
                    StandardOpenOption.WRITE);
            return new AtomicFile(given, target, part, stream);
        } catch (IOException e) {
            throw writeError(given, e);
        }
    }

    private static OutputStream stream(Path file, boolean zipped, StandardOpenOption... options) throws IOException {
        OutputStream bytes = Files.newOutputStream(file, options);
        return zipped ? new GZIPOutputStream(bytes, ZIP_BUFFER) : bytes;
    }

    public Writer writer() {
        return writer;
    }

    /** Writes all of the text and commits. */
    public void write(String text) {
        try {
            writer.write(text);
        } catch (IOException e) {
            throw writeError(e);
        }
        commit();
    }

    /** For binary content; a file is written through one of the two. */
    public OutputStream stream() {
        return stream;
    }

    /** The error for a failed write to {@link #writer}. */
    public UserError writeError(IOException cause) {
        return writeError(given, cause);
    }

    private static UserError writeError(Path given, IOException cause) {
        String reason = cause instanceof java.nio.file.AccessDeniedException
                ? "permission denied"
                : String.valueOf(cause.getMessage());
        return UserError.failed("cannot write '" + given + "': " + reason, cause);
    }

    /** Everything is written: the file gets its name. */
    public void commit() {
        try {
            writer.close();
            if (!temporary.equals(target)) {
                move();
            }
            done = true;
        } catch (IOException e) {
            throw writeError(given, e);
        }
    }

    private void move() throws IOException {
        try {
            Files.move(temporary, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(temporary, target, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Override
    public void close() {
        if (done) {
            return;
        }
        try {
            writer.close();
        } catch (IOException e) {
            // The disk may be full; no half-written file may stay.
        }
        try {
            if (!temporary.equals(target)) {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
