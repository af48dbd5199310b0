package dev.fermata.app.save;

import dev.fermata.app.input.Scenario;
import dev.fermata.app.input.Setting;
import dev.fermata.app.input.WorkloadInput;
import dev.fermata.app.run.Cell;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a run is, in a key: the program, everything the user wrote about its setting with the content of the files named there,
 * its policy and its seed. Equal keys mean equal results. Not thread-safe.
 */
final class RunIdentity {
    /** Known by the run itself. */
    private static final String POLICIES = "policies";

    private final String program = Digests.ofProgram();
    private final Map<Path, String> contents = new HashMap<>();
    private final Map<Scenario, Map<String, String>> known = new HashMap<>();

    String key(Cell cell) {
        return Digests.ofText(setting(cell.setting()) + " " + cell.policy().text() + " " + cell.seed());
    }

    /** The setting in names and values, for people and for the key. */
    Map<String, String> setting(Setting setting) {
        return known.computeIfAbsent(setting.written(), this::describe);
    }

    /** A pipe can be read only once, and so the runs on it have no identity. */
    static boolean has(Setting setting) {
        return files(setting.written()).stream().allMatch(file -> Files.isRegularFile(file) || Files.isDirectory(file));
    }

    private Map<String, String> describe(Scenario scenario) {
        Map<String, String> values = new TreeMap<>();
        values.put("program", program);
        // Whatever is added to a scenario belongs to its identity without being named here.
        for (RecordComponent component : Scenario.class.getRecordComponents()) {
            if (!component.getName().equals(POLICIES)) {
                values.put(component.getName(), String.valueOf(value(component, scenario)));
            }
        }
        for (Path file : files(scenario)) {
            values.put("content of " + file, contents.computeIfAbsent(file, Digests::ofFile));
        }
        return values;
    }

    private static Object value(RecordComponent component, Scenario scenario) {
        try {
            return component.getAccessor().invoke(scenario);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Path> files(Scenario scenario) {
        Stream<Path> single = Stream.of(scenario.cluster(), scenario.costs(), scenario.queues())
                .map(RunIdentity::path)
                .filter(file -> !Files.isDirectory(file)); // "profiles" may be the name of a folder, too
        Stream<Path> trace = Stream.of(scenario.workload())
                .filter(w -> !WorkloadInput.isGenerator(w))
                .map(RunIdentity::path);
        return Stream.concat(single, trace).filter(Files::exists).distinct().toList();
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            return Path.of("no such file");
        }
    }
}
