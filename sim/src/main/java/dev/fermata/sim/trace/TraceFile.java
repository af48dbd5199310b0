package dev.fermata.sim.trace;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/**
 * A text file, plain or gzipped (detected by its first bytes, whatever its name), with or without a byte order mark.
 */
public final class TraceFile {
    private static final int BUFFER = 1 << 16;
    private static final int GZIP_MAGIC = 0x1f8b;

    private final Path path;

    public TraceFile(Path path) {
        this.path = path;
    }

    public Path path() {
        return path;
    }

    /** The text; the caller closes it. */
    public Reader open() throws IOException {
        InputStream bytes = new BufferedInputStream(Files.newInputStream(path), BUFFER);
        try {
            boolean zipped = isGzip(bytes);
            return new BomStrippingReader(
                    new InputStreamReader(zipped ? new GZIPInputStream(bytes, BUFFER) : bytes, StandardCharsets.UTF_8));
        } catch (IOException e) {
            bytes.close();
            throw e;
        }
    }

    private static boolean isGzip(InputStream bytes) throws IOException {
        bytes.mark(2);
        int magic = bytes.read() << 8 | bytes.read();
        bytes.reset();
        return magic == GZIP_MAGIC;
    }

    /** The beginning, from which the format is recognised. */
    public FileHead head() throws IOException {
        try (Reader reader = open()) {
            char[] start = new char[FileHead.CHARS];
            int length = 0;
            int got = reader.read(start, 0, start.length);
            while (got > 0) {
                length += got;
                got = reader.read(start, length, start.length - length);
            }
            return new FileHead(path, new String(start, 0, length), length < start.length);
        }
    }

    /** What went wrong below the text, in words that name the file. */
    public TraceException readError(IOException problem) {
        boolean damaged = problem instanceof ZipException || problem instanceof EOFException;
        TraceException error = new TraceException(
                path,
                damaged
                        ? "the gzip data is cut off or damaged (" + problem.getMessage() + ")"
                        : problem instanceof NoSuchFileException
                                ? "no such file"
                                : problem instanceof AccessDeniedException
                                        ? "permission denied"
                                        : "cannot be read: " + problem.getMessage());
        error.initCause(problem);
        return error;
    }

    public TraceException readError(UncheckedIOException problem) {
        IOException cause = problem.getCause();
        return readError(cause == null ? new IOException(problem) : cause);
    }

    /** Leaves out the byte order mark that some programs write in front. */
    private static final class BomStrippingReader extends Reader {
        private static final char BYTE_ORDER_MARK = 0xFEFF;
        private final Reader text;
        private boolean started;

        BomStrippingReader(Reader text) {
            this.text = text;
        }

        @Override
        public int read(char[] into, int from, int length) throws IOException {
            int got = text.read(into, from, length);
            if (started || got <= 0) {
                return got;
            }
            started = true;
            if (into[from] != BYTE_ORDER_MARK) {
                return got;
            }
            if (got == 1) {
                return text.read(into, from, length);
            }
            System.arraycopy(into, from + 1, into, from, got - 1);
            return got - 1;
        }

        @Override
        public void close() throws IOException {
            text.close();
        }
    }
}
