package dev.fermata.bench.seeded;

import dev.fermata.bench.torture.TortureRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs torture on classes with a bug, in several ranges of seeds, each until a law breaks. */
public final class SeededBugSearch {
    private final Path root;
    private final int ranges;
    private final int limit;

    /**
     * What a search found.
     *
     * @param seeds for each range, how many seeds it took; those of a range in which it was not found are negative
     */
    public record Found(SeededBug bug, List<Integer> seeds, List<String> laws) {
        public boolean isAlwaysFound() {
            return seeds.stream().allMatch(count -> count > 0);
        }

        /** Over all ranges, how many seeds one finding takes; infinite where there is none. */
        public double meanSeeds() {
            long found = seeds.stream().filter(count -> count > 0).count();
            long all = seeds.stream().mapToLong(Math::abs).sum();
            return found == 0 ? Double.POSITIVE_INFINITY : (double) all / found;
        }
    }

    /**
     * @param root of the source tree
     * @param ranges of seeds, 10,000 apart
     * @param limit the most seeds of a range
     */
    public SeededBugSearch(Path root, int ranges, int limit) {
        this.root = root;
        this.ranges = ranges;
        this.limit = limit;
    }

    public Found search(SeededBug bug) throws IOException {
        Path folder = Files.createTempDirectory("fermata-bug");
        List<Integer> counts = new ArrayList<>();
        TreeSet<String> laws = new TreeSet<>();
        try (PlantedClasses classes = PlantedClasses.plant(bug, root, folder)) {
            Method brokenLaw = classes.loadClass(TortureRun.class.getName()).getMethod("brokenLaw", long.class);
            for (int range = 0; range < ranges; range++) {
                int seeds = 0;
                String law = null;
                while (law == null && seeds < limit) {
                    law = run(brokenLaw, range * 10_000L + ++seeds);
                }
                counts.add(law == null ? -seeds : seeds);
                if (law != null) {
                    laws.add(law);
                }
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        } finally {
            remove(folder);
        }
        return new Found(bug, counts, List.copyOf(laws));
    }

    private static @Nullable String run(Method brokenLaw, long seed) throws ReflectiveOperationException {
        try {
            return (String) brokenLaw.invoke(null, seed);
        } catch (InvocationTargetException e) { // an error that no law stands for
            return String.valueOf(e.getCause());
        }
    }

    private static void remove(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            all.sorted(Comparator.reverseOrder()).forEach(path -> {
                try {
                    Files.delete(path);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
