package dev.fermata.app.output;

import dev.fermata.app.exit.Complaint;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Where results go. A {@link PrintWriter} forgets why it could not write; this one can tell. */
public final class StandardOutput extends PrintWriter {
    private final Remembering stream;

    private StandardOutput(Remembering stream) {
        // UTF-8 whatever the locale: pipes and files must not depend on it.
        super(new OutputStreamWriter(stream, StandardCharsets.UTF_8), true);
        this.stream = stream;
    }

    public static StandardOutput ofProcess() {
        return new StandardOutput(new Remembering(new FileOutputStream(FileDescriptor.out)));
    }

    /** For what is no text: everything printed so far goes first. */
    OutputStream bytes() {
        flush();
        return stream;
    }

    /** Flushes what was printed, and complains where any of it is lost. */
    public static void flush(PrintWriter out) {
        out.flush();
        if (out instanceof StandardOutput standard && standard.stream.problem.isPresent()) {
            IOException problem = standard.stream.problem.get();
            throw Complaint.failed("cannot write standard output: " + problem.getMessage(), problem);
        }
    }

    /** Keeps the first problem. A reader that has seen enough and left, such as {@code head}, is none. */
    private static final class Remembering extends OutputStream {
        private final OutputStream stream;
        private Optional<IOException> problem = Optional.empty();
        private boolean left;

        Remembering(OutputStream stream) {
            this.stream = stream;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            if (left) {
                return;
            }
            try {
                stream.write(bytes, from, length);
            } catch (IOException e) {
                left = String.valueOf(e.getMessage()).contains("Broken pipe");
                if (!left) {
                    problem = problem.or(() -> Optional.of(e));
                    throw e;
                }
            }
        }
    }
}
