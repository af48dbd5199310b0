package dev.fermata.app.run;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * Which run is next: the longest, so that no thread is left alone with it at the end; but begun scenes before new ones, so
 * that few workloads are in memory: at most {@link #BEGUN} scenes have runs waiting, and each thread is at work on one.
 * Safe to use from several threads.
 */
final class Agenda {
    /** Two rather than one: the long runs of the next scene begin while the short ones of this are made. */
    static final int BEGUN = 2;

    /** A run and the scene it is played on. */
    record Turn(Scene scene, Cell cell) {}

    private final Deque<Scene> ahead = new ArrayDeque<>();
    private final List<List<Turn>> begun = new ArrayList<>();
    private final ToDoubleFunction<Cell> expectedSeconds;

    Agenda(List<Scene> scenes, ToDoubleFunction<Cell> expectedSeconds) {
        scenes.stream()
                .sorted(Comparator.comparingInt(Scene::expectedJobs).reversed())
                .forEach(ahead::add);
        this.expectedSeconds = expectedSeconds;
    }

    /** Nothing once all are given out. */
    synchronized Optional<Turn> next() {
        begun.removeIf(List::isEmpty);
        while (begun.size() < BEGUN && !ahead.isEmpty()) {
            Scene scene = ahead.remove();
            begun.add(new ArrayList<>(
                    scene.cells().stream().map(cell -> new Turn(scene, cell)).toList()));
        }
        List<Turn> best = List.of();
        int at = -1;
        double longest = Double.NEGATIVE_INFINITY;
        for (List<Turn> scene : begun) {
            for (int i = 0; i < scene.size(); i++) {
                double seconds = expectedSeconds.applyAsDouble(scene.get(i).cell());
                if (seconds > longest) {
                    longest = seconds;
                    best = scene;
                    at = i;
                }
            }
        }
        return at < 0 ? Optional.empty() : Optional.of(best.remove(at));
    }
}
