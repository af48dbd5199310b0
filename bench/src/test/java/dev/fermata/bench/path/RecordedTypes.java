package dev.fermata.bench.path;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/** The types whose code has run, by the part of the program, in the order of first use. */
public final class RecordedTypes {
    /** What belongs to no part. */
    public static final String REST = "rest";

    private static final Map<String, Set<String>> PARTS = new LinkedHashMap<>();
    private static String part = REST;

    private RecordedTypes() {}

    /** What runs from now on belongs to this part. */
    public static synchronized void begin(String name) {
        part = name;
    }

    /** Called at the beginning of each method. */
    public static synchronized void enter(String type) {
        if (!part.equals(REST)) {
            PARTS.computeIfAbsent(part, name -> new LinkedHashSet<>()).add(type);
        }
    }

    static synchronized Set<String> of(String name) {
        return new LinkedHashSet<>(PARTS.getOrDefault(name, Set.of()));
    }
}
