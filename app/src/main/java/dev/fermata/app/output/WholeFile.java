package dev.fermata.app.output;

import dev.fermata.app.exit.Complaint;
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
 * A file that appears whole or not at all: written beside its place under another name, renamed by {@link #commit}. Closing
 * without that removes it, and so does the end of the JVM.
 */
public final class WholeFile implements AutoCloseable {
    private static final int ZIP_BUFFER = 1 << 16;

    private final Path given;
    private final Path target;
    private final Path part;
    private final OutputStream stream;
    private final Writer writer;
    private boolean done;

    private WholeFile(Path given, Path target, Path part, OutputStream stream) {
        this.given = given;
        this.target = target;
        this.part = part;
        this.stream = stream;
        this.writer = new BufferedWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8));
    }

    /** Opens it now, so that a path that cannot be written is known before the work begins. Names in .gz are zipped. */
    public static WholeFile open(String name) {
        Path given = Path.of(name);
        boolean zipped = name.endsWith(".gz");
        try {
            if (Files.isDirectory(given)) {
                throw Complaint.failed("cannot write '" + name + "': it is a folder");
            }
            if (Files.exists(given) && !Files.isRegularFile(given)) {
                return new WholeFile(
                        given, given, given, stream(given, zipped, StandardOpenOption.WRITE)); // a device or a pipe
            }
            Path target = Files.exists(given) ? given.toRealPath() : given.toAbsolutePath();
            Path folder = target.getParent();
            if (folder == null || !Files.isDirectory(folder)) {
                throw Complaint.failed("cannot write '" + name + "': folder '" + folder + "' does not exist");
            }
            if (Files.exists(target) && !Files.isWritable(target)) {
                throw Complaint.failed("cannot write '" + name + "': permission denied");
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
            return new WholeFile(given, target, part, stream);
        } catch (IOException e) {
            throw failed(given, e);
        }
    }

    private static OutputStream stream(Path file, boolean zipped, StandardOpenOption... options) throws IOException {
        OutputStream bytes = Files.newOutputStream(file, options);
        return zipped ? new GZIPOutputStream(bytes, ZIP_BUFFER) : bytes;
    }

    public Writer writer() {
        return writer;
    }

    /** All of the text, and nothing more after it: the file gets its name. */
    public void write(String text) {
        try {
            writer.write(text);
        } catch (IOException e) {
            throw failed(e);
        }
        commit();
    }

    /** For what is no text; a file is written through one of the two. */
    public OutputStream stream() {
        return stream;
    }

    /** What went wrong while writing to {@link #writer}, in words. */
    public Complaint failed(IOException cause) {
        return failed(given, cause);
    }

    private static Complaint failed(Path given, IOException cause) {
        String reason = cause instanceof java.nio.file.AccessDeniedException
                ? "permission denied"
                : String.valueOf(cause.getMessage());
        return Complaint.failed("cannot write '" + given + "': " + reason, cause);
    }

    /** Everything is written: give it its name. */
    public void commit() {
        try {
            writer.close();
            if (!part.equals(target)) {
                move();
            }
            done = true;
        } catch (IOException e) {
            throw failed(given, e);
        }
    }

    private void move() throws IOException {
        try {
            Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
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
            // The disk may be full: what counts is that nothing half-written stays.
        }
        try {
            if (!part.equals(target)) {
                Files.deleteIfExists(part);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
