package dev.fermata.sim.trace.read;

import dev.fermata.sim.trace.FileHead;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceCollector;
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
    private final Optional<TraceFormat> requested;
    private final boolean lenient;

    /** @param requested the format, or empty to detect it */
    public TraceReader(Optional<TraceFormat> requested, boolean lenient) {
        this.requested = requested;
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
        return read(name, requested.orElseGet(() -> format(file)), List.of(path), List.of());
    }

    private static TraceFormat format(TraceFile file) {
        FileHead head = head(file);
        if (head.isBlank()) {
            throw noJobs(file.path());
        }
        return TraceFormats.of(head).orElseThrow(() -> TraceFormats.unknown(head));
    }

    private static FileHead head(TraceFile file) {
        try {
            return file.head();
        } catch (IOException e) {
            throw file.readError(e);
        }
    }

    private Trace readFolder(Path folder, String name) {
        List<Path> traces = new ArrayList<>();
        List<Path> others = new ArrayList<>();
        TraceFormat format = null;
        for (Path path : filesOf(folder)) {
            Optional<TraceFormat> found = TraceFormats.of(head(new TraceFile(path)));
            if (found.isEmpty() || (requested.isPresent() && !requested.equals(found))) {
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
                    "holds no trace"
                            + requested.map(f -> " of format " + f.name()).orElse(" of a known format"));
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
            throw new TraceFile(folder).readError(e);
        }
    }

    private Trace read(String name, TraceFormat format, List<Path> files, List<Path> skippedFiles) {
        List<TraceRecord> records = new ArrayList<>();
        TraceCollector collector = new TraceCollector(records::add, lenient);
        for (Path path : files) {
            TraceFile file = new TraceFile(path);
            try {
                format.read(file, collector);
            } catch (IOException e) {
                throw file.readError(e);
            }
        }
        if (records.isEmpty()) {
            throw noJobs(files.get(0), collector);
        }
        if (!format.isChronological()) {
            records.sort(Comparator.comparingLong(TraceRecord::submitMillis)
                    .thenComparingInt(TraceRecord::maxGpus)
                    .thenComparingLong(TraceRecord::durationMillis));
        }
        long originMillis = format.hasDates()
                ? records.stream().mapToLong(TraceRecord::submitMillis).min().orElse(0)
                : 0;
        return new Trace(name, format, files, skippedFiles, records, originMillis, collector.summary());
    }

    private static TraceException noJobs(Path file) {
        return new TraceException(file, 1, "the trace has no jobs");
    }

    private static TraceException noJobs(Path file, TraceCollector collector) {
        boolean nothing = collector.summary().read() == 0 && collector.summary().malformed() == 0;
        return nothing
                ? noJobs(file)
                : new TraceException(
                        file,
                        1,
                        "the trace has no job that could be run: "
                                + collector.summary().describe()
                                + (collector.summary().malformed() > 0
                                        ? "; " + collector.summary().malformed() + " malformed, the first: "
                                                + collector.summary().firstMalformed()
                                        : ""));
    }
}
