package dev.fermata.insight.saved;

import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.experiment.MatrixCell;
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
 * Where a comparison keeps its finished runs. A file that the user names stays and may grow from comparison to
 * comparison. Otherwise it is a file in the user's cache folder for this comparison only, removed when it is complete.
 */
public final class SaveLocation {
    private static final Duration MAX_AGE = Duration.ofDays(30);
    private static final String SUFFIX = ".runs";
    private static final int NAME_LENGTH = 32;

    private final @Nullable Path named;
    private final boolean resume;
    private final Map<String, String> environment;

    /** @param named the file, or null for the cache */
    public SaveLocation(@Nullable Path named, boolean resume, Map<String, String> environment) {
        this.named = named;
        this.resume = resume;
        this.environment = environment;
    }

    /** Whether the file is kept after the comparison. */
    public boolean isPermanent() {
        return named != null;
    }

    /** Empty where runs cannot be stored and no file was named. */
    public Optional<SavedRuns> open(List<MatrixCell> cells) {
        if (!cells.stream().allMatch(cell -> RunIdentity.isIdentifiable(cell.setting()))) {
            if (named != null || resume) {
                throw UserError.invalid((resume ? "--resume" : "--save") + ": the workload or costs come from a pipe;"
                        + " runs can be saved and found again only where they are files");
            }
            return Optional.empty();
        }
        RunIdentity identity = new RunIdentity();
        return named != null ? Optional.of(openNamed(named, cells, identity)) : openCache(cells, identity);
    }

    private SavedRuns openNamed(Path file, List<MatrixCell> cells, RunIdentity identity) {
        if (resume && !Files.exists(file)) {
            throw UserError.invalid("--resume: there is no file '" + file + "' to continue from");
        }
        SavedRuns runs = SavedRuns.open(file, cells, identity);
        if (!runs.problem().isEmpty()) {
            throw UserError.failed(runs.problem());
        }
        if (resume && !runs.otherSetting().isEmpty()) {
            runs.close();
            throw UserError.invalid("--resume: '" + file + "' holds runs of other comparisons only; "
                    + difference(
                            runs.otherSetting(), identity.setting(cells.get(0).setting())));
        }
        return runs;
    }

    private Optional<SavedRuns> openCache(List<MatrixCell> cells, RunIdentity identity) {
        Optional<Path> folder = folder();
        if (folder.isEmpty()) {
            if (resume) {
                throw UserError.invalid("--resume: nothing is saved without a HOME; --save FILE names a file");
            }
            return Optional.empty();
        }
        String all = cells.stream().map(identity::key).collect(Collectors.joining(" "));
        Path file = folder.get().resolve(ContentDigest.ofText(all).substring(0, NAME_LENGTH) + SUFFIX);
        if (resume) {
            if (!Files.exists(file)) {
                throw UserError.invalid("--resume: no run of this comparison is saved (another flag, file or build"
                        + " makes another comparison). Without --resume it starts from the beginning");
            }
            return Optional.of(SavedRuns.open(file, cells, identity));
        }
        try {
            Files.createDirectories(folder.get());
            removeExpired(folder.get());
        } catch (IOException e) {
            // A problem with the folder shows when the file is opened.
        }
        return Optional.of(restart(file, cells, identity));
    }

    private static SavedRuns restart(Path file, List<MatrixCell> cells, RunIdentity identity) {
        try {
            return SavedRuns.restart(file, cells, identity);
        } catch (UserError e) {
            // The user did not name this file, so unreadable content is discarded.
            file.toFile().delete();
            return SavedRuns.restart(file, cells, identity);
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

    private static void removeExpired(Path folder) throws IOException {
        FileTime limit = FileTime.from(Instant.now().minus(MAX_AGE));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(SUFFIX)).toList()) {
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
