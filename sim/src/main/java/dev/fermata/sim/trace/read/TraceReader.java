package dev.fermata.sim.trace.read;

import dev.fermata.sim.trace.Head;
import dev.fermata.sim.trace.Intake;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceException;
import dev.fermata.sim.trace.TraceFile;
import dev.fermata.sim.trace.TraceFormat;
import dev.fermata.sim.trace.TraceRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Reads a trace: a file, or a folder whose trace files, all of one format, are joined in the order of their names. Every
 * problem is a {@link TraceException} that names the file.
 */
public final class TraceReader {
    private final Optional<TraceFormat> asked;
    private final boolean lenient;

    /** @param asked the format, or nothing to tell it from the file */
    public TraceReader(Optional<TraceFormat> asked, boolean lenient) {
        this.asked = asked;
        this.lenient = lenient;
    }

    public Trace read(Path path) {
        String name = String.valueOf(path.toAbsolutePath().normalize().getFileName());
        if (Files.isDirectory(path)) {
            return readFolder(path, name);
        }
        if (Files.exists(path) && !Files.isRegularFile(path)) {
            throw new TraceException(
                    path, "must be a file or a folder: a pipe cannot be looked at first and then read");
        }
        TraceFile file = new TraceFile(path);
        return read(name, asked.orElseGet(() -> format(file)), List.of(path), List.of());
    }

    private static TraceFormat format(TraceFile file) {
        Head head = head(file);
        if (head.blank()) {
            throw noJobs(file.path());
        }
        return Formats.of(head).orElseThrow(() -> Formats.unknown(head));
    }

    private static Head head(TraceFile file) {
        try {
            return file.head();
        } catch (IOException e) {
            throw file.unreadable(e);
        }
    }

    private Trace readFolder(Path folder, String name) {
        List<Path> traces = new ArrayList<>();
        List<Path> others = new ArrayList<>();
        TraceFormat format = null;
        for (Path path : filesOf(folder)) {
            Optional<TraceFormat> found = Formats.of(head(new TraceFile(path)));
            if (found.isEmpty() || (asked.isPresent() && !asked.equals(found))) {
                others.add(path);
            } else if (format == null || format == found.get()) {
                format = found.get();
                traces.add(path);
            } else {
                throw new TraceException(
                        folder,
                        "holds traces of two formats: " + traces.get(0).getFileName() + " is " + format.name() + ", "
                                + path.getFileName() + " is " + found.get().name() + ". --format NAME chooses one.");
            }
        }
        if (format == null) {
            throw new TraceException(
                    folder,
                    "holds no trace" + asked.map(f -> " of format " + f.name()).orElse(" of a known format"));
        }
        return read(name, format, traces, others);
    }

    private static List<Path> filesOf(Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(Files::isRegularFile)
                    .filter(file -> !String.valueOf(file.getFileName()).startsWith("."))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new TraceFile(folder).unreadable(e);
        }
    }

    private Trace read(String name, TraceFormat format, List<Path> files, List<Path> passedOver) {
        List<TraceRecord> records = new ArrayList<>();
        Intake intake = new Intake(records::add, lenient);
        for (Path path : files) {
            TraceFile file = new TraceFile(path);
            try {
                format.read(file, intake);
            } catch (IOException e) {
                throw file.unreadable(e);
            }
        }
        if (records.isEmpty()) {
            throw noJobs(files.get(0), intake);
        }
        if (!format.inOrder()) {
            records.sort(Comparator.comparingLong(TraceRecord::submitMillis)
                    .thenComparingInt(TraceRecord::maxGpus)
                    .thenComparingLong(TraceRecord::durationMillis));
        }
        long zero = format.dated()
                ? records.stream().mapToLong(TraceRecord::submitMillis).min().orElse(0)
                : 0;
        return new Trace(name, format, files, passedOver, records, zero, intake.tally());
    }

    private static TraceException noJobs(Path file) {
        return new TraceException(file, 1, "the trace has no jobs");
    }

    private static TraceException noJobs(Path file, Intake intake) {
        boolean nothing = intake.tally().read() == 0 && intake.tally().malformed() == 0;
        return nothing
                ? noJobs(file)
                : new TraceException(
                        file,
                        1,
                        "the trace has no job that could be run: "
                                + intake.tally().words()
                                + (intake.tally().malformed() > 0
                                        ? "; " + intake.tally().malformed() + " malformed, the first: "
                                                + intake.tally().firstMalformed()
                                        : ""));
    }
}
