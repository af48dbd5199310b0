package dev.fermata.app.input;

import de.siegmar.fastcsv.reader.CsvParseException;
import dev.fermata.core.policy.Suggest;
import dev.fermata.sim.trace.fermata.FermataCsv;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Trace files by format, each read once however often a comparison needs it. Not thread-safe. */
public final class Traces {
    /** Stands for: look at the file. */
    public static final String DETECT = "auto";

    private static final List<String> READABLE = List.of("fermata");
    private static final List<String> PLANNED = List.of(
            "philly",
            "philly-json",
            "itp",
            "muri",
            "helios",
            "acme",
            "pai",
            "openb",
            "tiresias",
            "gavel",
            "dally",
            "swf");

    private final Map<Path, Workload> read = new HashMap<>();

    static void checkFormat(String format) {
        if (PLANNED.contains(format)) {
            throw Quantity.wrong(
                    "--format", format, "is not readable in this version; readable: " + String.join(", ", READABLE));
        }
        if (!format.equals(DETECT) && !READABLE.contains(format)) {
            throw new IllegalArgumentException(
                    "--format (" + format + ") is unknown." + Suggest.among(format, READABLE));
        }
    }

    Workload read(Path file) {
        Workload known = read.get(file);
        if (known == null) {
            known = readNow(file);
            read.put(file, known);
        }
        return known;
    }

    private static Workload readNow(Path file) {
        if (Files.isDirectory(file)) {
            throw Quantity.wrong("--workload", file.toString(), "is a folder; this version reads Fermata CSV files");
        }
        try {
            return FermataCsv.read(file);
        } catch (CsvParseException e) {
            throw new IllegalArgumentException(file + ": not readable as CSV: " + e.getMessage(), e);
        } catch (IOException e) {
            throw Quantity.wrong("--workload", file.toString(), "cannot be read: " + e.getMessage());
        }
    }
}
