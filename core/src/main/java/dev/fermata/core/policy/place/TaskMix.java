package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Demand;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What jobs usually request, learned from the latest of them: the commonest shapes that together are 95 % of the jobs, each
 * with its share. A share is recomputed only when an eighth of the jobs is new, so that much can be remembered meanwhile.
 */
final class TaskMix {
    /** What one job requests of a node; all of it, not by GPU. */
    record TaskShape(int gpus, int milli, long cpuMilli, long memoryMib, long types) {
        static TaskShape of(Demand demand, long types) {
            int gpus = demand.minGpus();
            return new TaskShape(
                    gpus, demand.gpuMilli(), gpus * demand.cpuMilliPerGpu(), gpus * demand.memoryMibPerGpu(), types);
        }
    }

    record CommonShape(TaskShape shape, double share) {}

    private record SeenJob(long id, TaskShape shape) {}

    static final int WINDOW = 2048;
    private static final double COVERED = 0.95;
    private static final int RENEWED = 8;
    private static final Comparator<TaskShape> STABLE_ORDER = Comparator.comparingInt(TaskShape::gpus)
            .thenComparingInt(TaskShape::milli)
            .thenComparingLong(TaskShape::cpuMilli)
            .thenComparingLong(TaskShape::memoryMib)
            .thenComparingLong(TaskShape::types);

    private final Deque<SeenJob> latest = new ArrayDeque<>();
    private final Set<Long> known = new HashSet<>();
    private final Map<TaskShape, Integer> counts = new HashMap<>();
    private List<CommonShape> commonShapes = List.of();
    private int newJobs;

    /** Whether the shares changed by it; a job that is remembered counts once. */
    boolean observe(JobView job) {
        if (!known.add(job.id())) {
            return false;
        }
        SeenJob seenJob = new SeenJob(job.id(), TaskShape.of(job.job().demand(), job.eligibleTypes()));
        latest.add(seenJob);
        counts.merge(seenJob.shape, 1, Integer::sum);
        if (latest.size() > WINDOW) {
            SeenJob oldest = latest.remove();
            known.remove(oldest.id);
            counts.computeIfPresent(oldest.shape, (shape, count) -> count == 1 ? null : count - 1);
        }
        if (++newJobs * RENEWED < latest.size()) {
            return false;
        }
        newJobs = 0;
        commonShapes = shares(counts, COVERED);
        return true;
    }

    List<CommonShape> commonShapes() {
        return commonShapes;
    }

    /** The commonest shapes that together are this part of all, with their shares among themselves. */
    static List<CommonShape> shares(Map<TaskShape, Integer> counts, double part) {
        List<Map.Entry<TaskShape, Integer>> common = new ArrayList<>(counts.entrySet());
        common.sort(Map.Entry.<TaskShape, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry::getKey, STABLE_ORDER));
        int all = counts.values().stream().mapToInt(count -> count).sum();
        int covered = 0;
        int kept = 0;
        while (kept < common.size() && covered < part * all) {
            covered += common.get(kept++).getValue();
        }
        List<CommonShape> shares = new ArrayList<>();
        for (Map.Entry<TaskShape, Integer> each : common.subList(0, kept)) {
            shares.add(new CommonShape(each.getKey(), (double) each.getValue() / covered));
        }
        return List.copyOf(shares);
    }
}
