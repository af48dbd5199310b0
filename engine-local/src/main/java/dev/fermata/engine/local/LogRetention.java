package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the folders of old attempts with their logs. It never touches working directories and checkpoints. */
final class LogRetention {
    private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

    private final Path attemptsFolder;
    private final int keepDays;
    private final int keepAttempts;

    LogRetention(Path runs, int keepDays, int keepAttempts) {
        this.attemptsFolder = runs;
        this.keepDays = keepDays;
        this.keepAttempts = keepAttempts;
    }

    private record EndedAttempt(Path folder, long modifiedMillis) {}

    /** @param alive whether an attempt, named {@code JOB.ATTEMPT}, still holds GPUs */
    int clean(Predicate<String> alive, long nowMillis) throws IOException {
        List<EndedAttempt> ended = new ArrayList<>();
        try (var jobs = Files.newDirectoryStream(attemptsFolder, "[0-9]*")) {
            for (Path job : jobs) {
                if (Files.isDirectory(job, LinkOption.NOFOLLOW_LINKS)) {
                    addEnded(job, alive, ended);
                }
            }
        }
        ended.sort(Comparator.comparingLong(EndedAttempt::modifiedMillis)
                .reversed()
                .thenComparing(EndedAttempt::folder));
        long oldest = nowMillis - TimeUnit.DAYS.toMillis(keepDays);
        int removed = 0;
        int failed = 0;
        IOException failure = null;
        for (int i = 0; i < ended.size(); i++) {
            if (i >= keepAttempts || ended.get(i).modifiedMillis() < oldest) {
                try {
                    FolderRemoval.remove(ended.get(i).folder());
                    removed++;
                } catch (IOException e) {
                    failed++;
                    failure = e;
                }
            }
        }
        if (failure != null) {
            LOG.warn("log retention: attempt folders not removed ({}): {}", failed, failure.toString());
        }
        if (removed > 0) {
            LOG.info("log retention: old attempts whose logs were removed: {}", removed);
        }
        return removed;
    }

    /** Adds the ended attempts of a job. What vanishes meanwhile is skipped: jobs may remove their own folders. */
    private static void addEnded(Path job, Predicate<String> alive, List<EndedAttempt> ended) throws IOException {
        try (var attempts = Files.newDirectoryStream(job, "[0-9]*")) {
            for (Path attempt : attempts) {
                if (!alive.test(job.getFileName() + "." + attempt.getFileName())) {
                    try {
                        long at = Files.getLastModifiedTime(attempt, LinkOption.NOFOLLOW_LINKS)
                                .toMillis();
                        ended.add(new EndedAttempt(attempt, at));
                    } catch (NoSuchFileException e) {
                        // removed since it was listed
                    }
                }
            }
        } catch (NoSuchFileException e) {
            // removed since it was listed
        }
    }
}
