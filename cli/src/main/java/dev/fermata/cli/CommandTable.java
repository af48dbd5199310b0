package dev.fermata.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine;

/**
 * The commands by name, each made when it is needed. Building the options of all of them takes longer than most commands
 * take to run, so a command line that names one gets that one alone.
 */
final class CommandTable {
    /** @param names the name and its aliases */
    private record Entry(List<String> names, Supplier<Object> command) {}

    private final Map<String, Entry> entries = new LinkedHashMap<>();

    CommandTable add(String name, Supplier<Object> command, String... aliases) {
        Entry entry =
                new Entry(Stream.concat(Stream.of(name), Stream.of(aliases)).toList(), command);
        entry.names.forEach(each -> entries.put(each, entry));
        return this;
    }

    boolean has(String name) {
        return entries.containsKey(name);
    }

    /** Adds this command alone. */
    void addTo(CommandLine root, String name) {
        root.addSubcommand(Objects.requireNonNull(entries.get(name)).command.get());
    }

    /** Adds all of them, in their order. */
    void addAllTo(CommandLine root) {
        entries.values().stream().distinct().forEach(entry -> root.addSubcommand(entry.command.get()));
    }
}
