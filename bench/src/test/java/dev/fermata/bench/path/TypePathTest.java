package dev.fermata.bench.path;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many types work on a job of a real daemon (API over HTTP, SQLite, local engine, policy {@code fermata}) from its submission to
 * its end. A type counts when code of it or of a type inside it runs in that time, on any thread, idle work included. Records, enums,
 * interfaces and exceptions are values and do not count. The aim is 80 in all (ADR 0041); the bounds are what it is, and may only be
 * lowered.
 */
class TypePathTest {
    /** On the way of the question when a job starts, from the API to the predictor: each is one hop from the one before. */
    private static final List<String> HOPS = List.of(
            "live.service.DefaultSchedulerService",
            "live.service.PredictionService",
            "live.loop.Inbox",
            "live.loop.SchedulerLoop",
            "live.service.ClusterSnapshotBuilder");

    /** State that the snapshot is made of. */
    private static final List<String> READ = List.of("live.loop.SchedulingCycle", "live.loop.RecentArrivals");

    /** By the module or package; what a job passes through. */
    private static final Map<String, Integer> MOST = new TreeMap<>(Map.of(
            "api", 32,
            "core", 72,
            "engine", 21,
            "history", 12,
            "live", 80));

    @BeforeAll
    static void runTheDaemon(@TempDir Path data) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        RecordingLoader loader = new RecordingLoader(TypePathTest.class.getClassLoader());
        Thread.currentThread().setContextClassLoader(loader);
        try {
            var main = loader.loadClass(TracedDaemon.class.getName()).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) new String[] {data.toString(), "fermata"});
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static List<String> used(String part) {
        return RecordedTypes.of(part).stream()
                .filter(TypePathTest::hasBehaviour)
                .map(type -> type.substring("dev.fermata.".length()))
                .filter(type -> !type.startsWith("bench."))
                .toList();
    }

    private static boolean hasBehaviour(String name) {
        try {
            Class<?> type = Class.forName(name, false, TypePathTest.class.getClassLoader());
            return !type.isRecord() && !type.isEnum() && !type.isInterface() && !Throwable.class.isAssignableFrom(type);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static String placeOf(String type) {
        boolean api = type.startsWith("live.api.") || type.startsWith("live.access.") || type.startsWith("live.spec.");
        return api ? "api" : type.substring(0, type.indexOf('.'));
    }

    @Test
    void fewTypesWorkOnAJob(TestReporter reporter) {
        Map<String, List<String>> byPlace = used("job").stream()
                .collect(Collectors.groupingBy(TypePathTest::placeOf, TreeMap::new, Collectors.toList()));
        int all = byPlace.values().stream().mapToInt(Collection::size).sum();
        reporter.publishEntry(
                "types",
                all + ": "
                        + byPlace.entrySet().stream()
                                .map(place ->
                                        place.getKey() + " " + place.getValue().size())
                                .collect(Collectors.joining(", ")));
        assertThat(byPlace.keySet()).isEqualTo(MOST.keySet());
        byPlace.forEach(
                (place, types) -> assertThat(types).as(place).hasSizeLessThanOrEqualTo(MOST.getOrDefault(place, 0)));
    }

    @Test
    void theQuestionWhenAJobStartsTakesSixHops() {
        List<String> passed = used("question").stream()
                .filter(type -> type.startsWith("live.service.") || type.startsWith("live.loop."))
                .filter(type -> !READ.contains(type))
                .toList();
        assertThat(passed).containsExactlyElementsOf(HOPS);
    }
}
