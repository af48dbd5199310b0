package dev.fermata.research;

import dev.fermata.core.model.Topology;
import dev.fermata.insight.format.ResultTable;
import dev.fermata.insight.input.CostsInput;
import dev.fermata.sim.trace.ModelAssignment;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceImporter;
import dev.fermata.sim.trace.read.TraceReader;
import dev.fermata.sim.workload.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Traces that the authors of a paper released, in a folder that the user names. None is part of the program. */
public final class TraceFolder {
    private static final List<String> COLUMNS = List.of("not measured");

    private final CostsInput costs;

    /** @param costs a file of costs by model; without it preempting is free */
    public TraceFolder(Path costs) {
        this.costs = CostsInput.parse(Files.exists(costs) ? costs.toString() : "none");
    }

    /** The traces with this ending below a folder of the data, by name. */
    public static List<Path> files(Path data, String folder, String ending) {
        Path below = data.resolve(folder);
        if (!Files.isDirectory(below)) {
            return List.of();
        }
        try (Stream<Path> found = Files.list(below)) {
            return found.filter(file -> file.getFileName().toString().endsWith(ending))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The name of the file without its ending. */
    public static String name(Path file) {
        String name = file.getFileName().toString();
        int dot = name.lastIndexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }

    public static Trace read(Path file) {
        return new TraceReader(Optional.empty(), false).read(file);
    }

    /** The jobs of a trace with the costs of this folder; a job without a known model has no profile. */
    public Workload workload(Path file, Topology topology) {
        return costs.apply(TraceImporter.toWorkload(read(file), ModelAssignment.namedOnly(topology.types())));
    }

    /** Stands where results would, when no data is named. */
    public static ResultTable notGiven(String title) {
        return new ResultTable(title, COLUMNS, List.of(List.of("needs the authors' data: --data FOLDER")));
    }

    /** Stands where results would, when the folder has no such traces. */
    public static ResultTable missing(String title, Path data, String folder) {
        return new ResultTable(title, COLUMNS, List.of(List.of("no traces in " + data.resolve(folder))));
    }
}
