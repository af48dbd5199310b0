package dev.fermata.live.engine.local;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the folders of attempts that ended long ago, logs and all. Working directories and checkpoints are never touched: they are the
 * work itself.
 */
final class Retention {
    private static final Logger LOG = LoggerFactory.getLogger(Retention.class);

    private final Path runs;
    private final int keepDays;
    private final int keepAttempts;

    Retention(Path runs, int keepDays, int keepAttempts) {
        this.runs = runs;
        this.keepDays = keepDays;
        this.keepAttempts = keepAttempts;
    }

    private record Old(Path folder, long millis) {}

    /** @param alive whether an attempt, named {@code JOB.ATTEMPT}, is still on GPUs */
    int clean(Predicate<String> alive, long nowMillis) throws IOException {
        List<Old> ended = new ArrayList<>();
        try (var jobs = Files.newDirectoryStream(runs, "[0-9]*")) {
            for (Path job : jobs) {
                try (var attempts = Files.newDirectoryStream(job, "[0-9]*")) {
                    for (Path attempt : attempts) {
                        if (!alive.test(job.getFileName() + "." + attempt.getFileName())) {
                            long at = Files.getLastModifiedTime(attempt, LinkOption.NOFOLLOW_LINKS)
                                    .toMillis();
                            ended.add(new Old(attempt, at));
                        }
                    }
                }
            }
        }
        ended.sort(Comparator.comparingLong(Old::millis).reversed().thenComparing(Old::folder));
        long oldest = nowMillis - TimeUnit.DAYS.toMillis(keepDays);
        int removed = 0;
        int failed = 0;
        IOException failure = null;
        for (int i = 0; i < ended.size(); i++) {
            if (i >= keepAttempts || ended.get(i).millis() < oldest) {
                try {
                    delete(ended.get(i).folder());
                    removed++;
                } catch (IOException e) {
                    failed++;
                    failure = e;
                }
            }
        }
        if (failure != null) {
            LOG.warn("{} folders of old attempts could not be removed: {}", failed, failure.toString());
        }
        if (removed > 0) {
            LOG.info("removed the logs of {} attempts that ended long ago", removed);
        }
        return removed;
    }

    /** Links are removed, never followed. */
    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.deleteIfExists(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException failure) throws IOException {
                Files.deleteIfExists(dir);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
