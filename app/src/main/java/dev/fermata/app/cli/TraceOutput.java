package dev.fermata.app.cli;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.TracePart;
import dev.fermata.app.output.Humane;
import dev.fermata.app.output.WholeFile;
import dev.fermata.sim.trace.fermata.FermataCsvWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** Where a new trace goes. */
final class TraceOutput {
    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE.csv",
            required = true,
            description = "The file to write, Fermata's CSV; zipped if its name ends in .gz; - is standard output.")
    private String out;

    @Option(names = "--quiet", description = "Say nothing on stderr.")
    boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    private boolean toStandardOutput() {
        return out.equals("-");
    }

    /** Never onto what is read. */
    void check(String input) {
        Path written = Path.of(out).toAbsolutePath().normalize();
        Path read = Path.of(input).toAbsolutePath().normalize();
        if (!toStandardOutput() && written.equals(read)) {
            throw Complaint.invalid("'" + out + "' is the trace that is read; it would be overwritten");
        }
    }

    void write(TracePart part, CommandLine command) {
        if (toStandardOutput()) {
            try {
                write(part, command.getOut());
            } catch (IOException e) {
                throw new UncheckedIOException(e); // a PrintWriter throws none
            }
        } else {
            writeFile(part);
        }
        if (!quiet) {
            command.getErr()
                    .println(Humane.amount(part.records().size(), "job") + " written to "
                            + (toStandardOutput() ? "standard output" : out));
        }
    }

    private void writeFile(TracePart part) {
        try (WholeFile file = WholeFile.open(out)) {
            try {
                write(part, file.writer());
            } catch (IOException e) {
                throw file.failed(e);
            }
            file.commit();
        }
    }

    private static void write(TracePart part, Writer to) throws IOException {
        FermataCsvWriter.write(
                part.records(),
                part.trace().zeroMillis(),
                i -> part.jobs().get(i).durationMillis(),
                to);
    }
}
