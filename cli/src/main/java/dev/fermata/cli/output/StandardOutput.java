package dev.fermata.cli.output;

import dev.fermata.insight.exit.UserError;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** The stream for results. Unlike a {@link PrintWriter}, it keeps the reason of a failed write. */
public final class StandardOutput extends PrintWriter {
    private final ErrorTrackingStream stream;

    private StandardOutput(ErrorTrackingStream stream) {
        // UTF-8 whatever the locale: pipes and files must not depend on it.
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
        this.stream = stream;
    }

    public static StandardOutput ofProcess() {
        return new StandardOutput(new ErrorTrackingStream(new FileOutputStream(FileDescriptor.out)));
    }

    /** The stream for bytes; flushes the text printed so far first. */
    OutputStream bytes() {
        flush();
        return stream;
    }

    /** Flushes the output, and fails if any of it is lost. */
    public static void flush(PrintWriter out) {
        out.flush();
        if (out instanceof StandardOutput standard && standard.stream.problem.isPresent()) {
            IOException problem = standard.stream.problem.get();
            throw UserError.failed("cannot write standard output: " + problem.getMessage(), problem);
        }
    }

    /** Keeps the first problem. A reader that has seen enough and left, such as {@code head}, is none. */
    private static final class ErrorTrackingStream extends OutputStream {
        private final OutputStream stream;
        private Optional<IOException> problem = Optional.empty();
        private boolean readerGone;

        ErrorTrackingStream(OutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (readerGone) {
                return;
            }
            try {
                stream.write(bytes, from, length);
            } catch (IOException e) {
                readerGone = String.valueOf(e.getMessage()).contains("Broken pipe");
                if (!readerGone) {
                    problem = problem.or(() -> Optional.of(e));
                    throw e;
                }
            }
        }
    }
}
