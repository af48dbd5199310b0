package dev.fermata.sim.trace.text;

import dev.fermata.sim.trace.TraceException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of the columns of a table. */
public final class TraceHeader {
    private final Path file;
    private final long line;
    private final List<String> names;
    private final Map<String, Integer> indexes = new HashMap<>();

    public TraceHeader(Path file, long line, List<String> names) {
        this.file = file;
        this.line = line;
        this.names = List.copyOf(names);
        for (String name : names) {
            if (indexes.putIfAbsent(name, indexes.size()) != null) {
                throw error("column '" + TraceException.quote(name) + "' is there twice, a duplicate");
            }
        }
    }

    public List<String> names() {
        return names;
    }

    public TraceException error(String problem) {
        return new TraceException(file, line, problem);
    }

    /** A column that must be there. */
    public TraceColumn require(String name) {
        TraceColumn column = find(name);
        if (!column.exists()) {
            throw error("column '" + name + "' is missing");
        }
        return column;
    }

    /** A column that may be there. */
    public TraceColumn find(String name) {
        return new TraceColumn(name, indexes.getOrDefault(name, TraceColumn.MISSING));
    }
}
