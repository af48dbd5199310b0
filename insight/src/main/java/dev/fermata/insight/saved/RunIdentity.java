package dev.fermata.insight.saved;

import dev.fermata.insight.experiment.MatrixCell;
import dev.fermata.insight.input.ExperimentSetting;
import dev.fermata.insight.input.ExperimentSpec;
import dev.fermata.insight.input.WorkloadInput;
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
 * The key of a run: program, setting, policy and seed. The setting is everything the user wrote about it, with the
 * content of the files named there. Equal keys mean equal results. Not thread-safe.
 */
final class RunIdentity {
    /** Known by the run itself. */
    private static final String POLICIES = "policies";

    private final String program = ContentDigest.ofProgram();
    private final Map<Path, String> contents = new HashMap<>();
    private final Map<ExperimentSpec, Map<String, String>> known = new HashMap<>();

    String key(MatrixCell cell) {
        return ContentDigest.ofText(
                setting(cell.setting()) + " " + cell.policy().text() + " " + cell.seed());
    }

    /** The setting in names and values, for people and for the key. */
    Map<String, String> setting(ExperimentSetting setting) {
        return known.computeIfAbsent(setting.spec(), this::describe);
    }

    /** A pipe can be read only once, and so the runs on it have no identity. */
    static boolean isIdentifiable(ExperimentSetting setting) {
        return files(setting.spec()).stream().allMatch(file -> Files.isRegularFile(file) || Files.isDirectory(file));
    }

    private Map<String, String> describe(ExperimentSpec spec) {
        Map<String, String> values = new TreeMap<>();
        values.put("program", program);
        // Whatever is added to a scenario belongs to its identity without being named here.
        for (RecordComponent component : ExperimentSpec.class.getRecordComponents()) {
            if (!component.getName().equals(POLICIES)) {
                values.put(component.getName(), String.valueOf(value(component, spec)));
            }
        }
        for (Path file : files(spec)) {
            values.put("content of " + file, contents.computeIfAbsent(file, ContentDigest::ofFile));
        }
        return values;
    }

    private static Object value(RecordComponent component, ExperimentSpec spec) {
        try {
            return component.getAccessor().invoke(spec);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<Path> files(ExperimentSpec spec) {
        Stream<Path> single = Stream.of(spec.cluster(), spec.costs(), spec.queues())
                .map(RunIdentity::path)
                .filter(file -> !Files.isDirectory(file)); // "profiles" may be the name of a folder, too
        Stream<Path> trace = Stream.of(spec.workload())
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
