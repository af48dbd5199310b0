package dev.fermata.cli.simulation;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.file.AtomicFile;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.insight.input.SelectedTrace;
import dev.fermata.sim.trace.fermata.FermataCsvWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The file of a new trace. */
final class TraceOutput {
    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE.csv",
            required = true,
            description = "The file to write, Fermata's CSV; zipped if its name ends in .gz; - is standard output.")
    private String out;

    @Option(names = "--quiet", description = "Print nothing on stderr.")
    boolean quiet;

    @Option(names = "--verbose", description = "Stack traces with errors.")
    boolean verbose;

    private boolean toStandardOutput() {
        return out.equals("-");
    }

    /** Refuses to write over an input. */
    void check(String input) {
        Path written = Path.of(out).toAbsolutePath().normalize();
        Path read = Path.of(input).toAbsolutePath().normalize();
        if (!toStandardOutput() && written.equals(read)) {
            throw UserError.invalid("'" + out + "' is the trace that is read; it would be overwritten");
        }
    }

    void write(SelectedTrace part, CommandLine command) {
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
                    .println(HumanFormat.amount(part.records().size(), "job") + " written to "
                            + (toStandardOutput() ? "standard output" : out));
        }
    }

    private void writeFile(SelectedTrace part) {
        try (AtomicFile file = AtomicFile.open(out)) {
            try {
                write(part, file.writer());
            } catch (IOException e) {
                throw file.writeError(e);
            }
            file.commit();
        }
    }

    private static void write(SelectedTrace part, Writer to) throws IOException {
        FermataCsvWriter.write(part.trace(), part.records(), part.jobs(), to);
    }
}
