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
 * What the jobs themselves wrote, all into one file: {@code JOB ATTEMPT GPUS WORD}. Each line is one write at the end of the file, so
 * their order is the order in which things happened, whatever any daemon believed.
 */
record Notebook(List<Note> notes) {
    record Note(long job, int attempt, List<Integer> gpus, String word) {}

    static Notebook read(Path file) throws IOException {
        List<Note> notes = new ArrayList<>();
        for (String line : Files.exists(file) ? Files.readAllLines(file) : List.<String>of()) {
            String[] parts = line.split(" ", -1);
            assertThat(parts).as(line).hasSize(4);
            List<Integer> gpus = new ArrayList<>();
            for (String gpu : parts[2].split(",", -1)) {
                gpus.add(Integer.parseInt(gpu));
            }
            notes.add(new Note(Long.parseLong(parts[0]), Integer.parseInt(parts[1]), gpus, parts[3]));
        }
        return new Notebook(notes);
    }

    long count(long job, String word) {
        return notes.stream()
                .filter(note -> note.job() == job && note.word().equals(word))
                .count();
    }

    /** Once a later attempt has spoken, the earlier one is silent; and every attempt begins once. */
    void checkOneAttemptAtATime() {
        Map<Long, Integer> latest = new HashMap<>();
        Set<String> begun = new HashSet<>();
        for (Note note : notes) {
            assertThat(note.attempt())
                    .as("attempt of %s after attempt %s", note, latest.get(note.job()))
                    .isGreaterThanOrEqualTo(latest.getOrDefault(note.job(), 0));
            latest.put(note.job(), note.attempt());
            if (note.word().equals("start")) {
                assertThat(begun.add(note.job() + "." + note.attempt()))
                        .as("second copy: %s", note)
                        .isTrue();
            }
        }
    }

    /** Once another attempt has spoken on a GPU, the one before it is silent there. */
    void checkNoGpuIsGivenTwice() {
        Map<Integer, String> onGpu = new HashMap<>();
        Set<String> gone = new HashSet<>();
        for (Note note : notes) {
            String who = note.job() + "." + note.attempt();
            for (int gpu : note.gpus()) {
                String before = onGpu.put(gpu, who);
                if (before != null && !before.equals(who)) {
                    gone.add(gpu + ":" + before);
                }
                assertThat(gone)
                        .as("%s is back on gpu %s after somebody else", who, gpu)
                        .doesNotContain(gpu + ":" + who);
            }
        }
    }
}
