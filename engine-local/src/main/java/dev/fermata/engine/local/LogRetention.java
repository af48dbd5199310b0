package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removes the folders of old attempts with their logs. It never touches working directories and checkpoints. */
final class LogRetention {
    private static final Logger LOG = LoggerFactory.getLogger(LogRetention.class);

    private final Path attemptsFolder;
    private final int keepAttempts;
    private final long keepBytes;

    /** @param keepBytes of all logs together; the oldest beyond are removed */
    LogRetention(Path runs, int keepAttempts, long keepBytes) {
        this.attemptsFolder = runs;
        this.keepAttempts = keepAttempts;
        this.keepBytes = keepBytes;
    }

    private record EndedAttempt(Path folder, long modifiedMillis, long logBytes) {}

    /**
     * @param alive whether an attempt, named {@code JOB.ATTEMPT}, still holds GPUs
     * @param oldestMillis attempts that ended before are removed
     */
    int clean(Predicate<String> alive, long oldestMillis) throws IOException {
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
        int removed = 0;
        int failed = 0;
        long bytes = 0;
        IOException failure = null;
        for (int i = 0; i < ended.size(); i++) {
            bytes += ended.get(i).logBytes();
            if (i >= keepAttempts || bytes > keepBytes || ended.get(i).modifiedMillis() < oldestMillis) {
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
                        ended.add(new EndedAttempt(attempt, at, logBytes(attempt)));
                    } catch (NoSuchFileException e) {
                        // removed since it was listed
                    }
                }
            }
        } catch (NoSuchFileException e) {
            // removed since it was listed
        }
    }

    /** Bytes of the files of an attempt itself, not of those in the job's own folder. */
    private static long logBytes(Path attempt) throws IOException {
        long bytes = 0;
        try (var files = Files.newDirectoryStream(attempt)) {
            for (Path file : files) {
                try {
                    bytes += Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                            .size();
                } catch (NoSuchFileException e) {
                    // removed since it was listed
                }
            }
        } catch (NotDirectoryException e) {
            return 0; // it is removed as what it is
        }
        return bytes;
    }
}
