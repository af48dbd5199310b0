package dev.fermata.app.save;

import dev.fermata.app.exit.Complaint;
import dev.fermata.app.run.Cell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Where a comparison keeps its finished runs: in the file the user names, which stays and may grow from comparison to
 * comparison; or else in one under the user's cache folder, which is this comparison's own and goes when it is complete.
 */
public final class Saving {
    private static final Duration FORGOTTEN = Duration.ofDays(30);
    private static final String ENDING = ".runs";
    private static final int NAME = 32;

    private final @Nullable Path named;
    private final boolean resume;
    private final Map<String, String> environment;

    /** @param named the file, or null for the cache */
    public Saving(@Nullable Path named, boolean resume, Map<String, String> environment) {
        this.named = named;
        this.resume = resume;
        this.environment = environment;
    }

    /** Whether the file outlives the comparison. */
    public boolean stays() {
        return named != null;
    }

    /** Nothing where runs can be kept nowhere and nobody insists. */
    public Optional<SavedRuns> open(List<Cell> cells) {
        if (!cells.stream().allMatch(cell -> RunIdentity.has(cell.setting()))) {
            if (named != null || resume) {
                throw Complaint.invalid((resume ? "--resume" : "--save") + ": the workload or costs come from a pipe;"
                        + " runs can be saved and found again only where they are files");
            }
            return Optional.empty();
        }
        RunIdentity identity = new RunIdentity();
        return named != null ? Optional.of(openNamed(named, cells, identity)) : openCache(cells, identity);
    }

    private SavedRuns openNamed(Path file, List<Cell> cells, RunIdentity identity) {
        if (resume && !Files.exists(file)) {
            throw Complaint.invalid("--resume: there is no file '" + file + "' to go on from");
        }
        SavedRuns runs = SavedRuns.open(file, cells, identity);
        if (!runs.trouble().isEmpty()) {
            throw Complaint.failed(runs.trouble());
        }
        if (resume && !runs.stranger().isEmpty()) {
            runs.close();
            throw Complaint.invalid("--resume: '" + file + "' holds runs of other comparisons only; "
                    + difference(runs.stranger(), identity.setting(cells.get(0).setting())));
        }
        return runs;
    }

    private Optional<SavedRuns> openCache(List<Cell> cells, RunIdentity identity) {
        Optional<Path> folder = folder();
        if (folder.isEmpty()) {
            if (resume) {
                throw Complaint.invalid("--resume: nothing is saved without a HOME; --save FILE names a file");
            }
            return Optional.empty();
        }
        String all = cells.stream().map(identity::key).collect(Collectors.joining(" "));
        Path file = folder.get().resolve(Digests.ofText(all).substring(0, NAME) + ENDING);
        if (resume) {
            if (!Files.exists(file)) {
                throw Complaint.invalid(
                        "--resume: nothing is saved of this very comparison (another flag, file or build"
                                + " makes another one). Without --resume it starts from the beginning");
            }
            return Optional.of(SavedRuns.open(file, cells, identity));
        }
        try {
            Files.createDirectories(folder.get());
            removeForgotten(folder.get());
        } catch (IOException e) {
            // Whatever is wrong with the folder shows when the file is opened.
        }
        return Optional.of(startOver(file, cells, identity));
    }

    private static SavedRuns startOver(Path file, List<Cell> cells, RunIdentity identity) {
        try {
            return SavedRuns.startOver(file, cells, identity);
        } catch (Complaint e) {
            // Nobody named this file, so nobody misses what cannot be read in it.
            file.toFile().delete();
            return SavedRuns.startOver(file, cells, identity);
        }
    }

    private Optional<Path> folder() {
        String cache = environment.getOrDefault("XDG_CACHE_HOME", "");
        String home = environment.getOrDefault("HOME", "");
        if (cache.isEmpty() && home.isEmpty()) {
            return Optional.empty();
        }
        Path base = cache.isEmpty() ? Path.of(home, ".cache") : Path.of(cache);
        return Optional.of(base.resolve("fermata").resolve("compare"));
    }

    private static void removeForgotten(Path folder) throws IOException {
        FileTime limit = FileTime.from(Instant.now().minus(FORGOTTEN));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(ENDING)).toList()) {
                if (Files.getLastModifiedTime(file).compareTo(limit) < 0) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private static String difference(Map<String, String> theirs, Map<String, String> ours) {
        List<String> differ = theirs.entrySet().stream()
                .filter(e -> !e.getValue().equals(ours.get(e.getKey())))
                .map(e -> e.getKey().equals("program") || e.getKey().startsWith("content of ")
                        ? e.getKey() + " differs"
                        : e.getKey() + " there is '" + e.getValue() + "'")
                .toList();
        return differ.isEmpty() ? "their policies or seeds differ" : String.join(", ", differ);
    }
}
