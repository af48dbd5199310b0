package dev.fermata.insight.experiment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * The order of runs: the longest first, so that no thread is left alone with it at the end. Open workload groups go
 * before new ones, so that few workloads are in memory: at most {@link #MAX_OPEN_GROUPS} groups have runs waiting. Safe
 * to use from several threads.
 */
final class RunQueue {
    /** Two rather than one: long runs of the next group begin while short ones of this group are made. */
    static final int MAX_OPEN_GROUPS = 2;

    /** A run and its workload group. */
    record QueuedRun(WorkloadGroup group, MatrixCell cell) {}

    private final Deque<WorkloadGroup> pendingGroups = new ArrayDeque<>();
    private final List<List<QueuedRun>> openGroups = new ArrayList<>();
    private final ToDoubleFunction<MatrixCell> expectedSeconds;

    RunQueue(List<WorkloadGroup> groups, ToDoubleFunction<MatrixCell> expectedSeconds) {
        groups.stream()
                .sorted(Comparator.comparingInt(WorkloadGroup::expectedJobs).reversed())
                .forEach(pendingGroups::add);
        this.expectedSeconds = expectedSeconds;
    }

    /** Empty once all are taken. */
    synchronized Optional<QueuedRun> next() {
        openGroups.removeIf(List::isEmpty);
        while (openGroups.size() < MAX_OPEN_GROUPS && !pendingGroups.isEmpty()) {
            WorkloadGroup group = pendingGroups.remove();
            openGroups.add(new ArrayList<>(group.cells().stream()
                    .map(cell -> new QueuedRun(group, cell))
                    .toList()));
        }
        List<QueuedRun> best = List.of();
        int at = -1;
        double longest = Double.NEGATIVE_INFINITY;
        for (List<QueuedRun> group : openGroups) {
            for (int i = 0; i < group.size(); i++) {
                double seconds = expectedSeconds.applyAsDouble(group.get(i).cell());
                if (seconds > longest) {
                    longest = seconds;
                    best = group;
                    at = i;
                }
            }
        }
        return at < 0 ? Optional.empty() : Optional.of(best.remove(at));
    }
}
