package dev.fermata.sim.trace.text;

import dev.fermata.sim.trace.TraceException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The names of the columns of a table. */
public final class Header {
    private final Path file;
    private final long line;
    private final List<String> names;
    private final Map<String, Integer> places = new HashMap<>();

    public Header(Path file, long line, List<String> names) {
        this.file = file;
        this.line = line;
        this.names = List.copyOf(names);
        for (String name : names) {
            if (places.putIfAbsent(name, places.size()) != null) {
                throw wrong("column '" + TraceException.quote(name) + "' is there twice, a duplicate");
            }
        }
    }

    public List<String> names() {
        return names;
    }

    public TraceException wrong(String problem) {
        return new TraceException(file, line, problem);
    }

    /** A column that must be there. */
    public Column need(String name) {
        Column column = find(name);
        if (!column.exists()) {
            throw wrong("column '" + name + "' is missing");
        }
        return column;
    }

    /** A column that may be there. */
    public Column find(String name) {
        return new Column(name, places.getOrDefault(name, Column.NOWHERE));
    }
}
