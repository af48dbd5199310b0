package dev.fermata.live.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the jobs themselves wrote, all into one file: {@code JOB ATTEMPT GPUS WORD}. Each line is one append, so their order is
 * the order of events, whatever any daemon recorded.
 */
record JobJournal(List<JournalEntry> entries) {
    record JournalEntry(long job, int attempt, List<Integer> gpus, String message) {}

    static JobJournal read(Path file) throws IOException {
        List<JournalEntry> journal = new ArrayList<>();
        for (String entry : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] parts = entry.split(" ", -1);
            assertThat(parts).as(entry).hasSize(4);
            List<Integer> gpus = new ArrayList<>();
            for (String gpu : parts[2].split(",", -1)) {
                gpus.add(Integer.parseInt(gpu));
            }
            journal.add(new JournalEntry(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), gpus, parts[3]));
        }
        return new JobJournal(journal);
    }

    long count(long job, String word) {
        return entries.stream()
                .filter(entry -> entry.job() == job && entry.message().equals(word))
                .count();
    }

    /** Once a later attempt has written, the earlier one is silent; and every attempt begins once. */
    void checkOneAttemptAtATime() {
        Map<Long, Integer> latest = new HashMap<>();
        Set<String> started = new HashSet<>();
        for (JournalEntry entry : entries) {
            assertThat(entry.attempt())
                    .as("attempt of %s after attempt %s", entry, latest.get(entry.job()))
                    .isGreaterThanOrEqualTo(latest.getOrDefault(entry.job(), 0));
            latest.put(entry.job(), entry.attempt());
            if (entry.message().equals("start")) {
                assertThat(started.add(entry.job() + "." + entry.attempt()))
                        .as("second copy: %s", entry)
                        .isTrue();
            }
        }
    }

    /** Once another attempt has written on a GPU, the one before it is silent there. */
    void checkNoGpuIsGivenTwice() {
        Map<Integer, String> onGpu = new HashMap<>();
        Set<String> replaced = new HashSet<>();
        for (JournalEntry entry : entries) {
            String attemptId = entry.job() + "." + entry.attempt();
            for (int gpu : entry.gpus()) {
                String before = onGpu.put(gpu, attemptId);
                if (before != null && !before.equals(attemptId)) {
                    replaced.add(gpu + ":" + before);
                }
                assertThat(replaced)
                        .as("%s is back on gpu %s after another attempt", attemptId, gpu)
                        .doesNotContain(gpu + ":" + attemptId);
            }
        }
    }
}
