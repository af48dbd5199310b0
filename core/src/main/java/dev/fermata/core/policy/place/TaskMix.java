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
 * What jobs usually ask for, learned from the latest of them: the commonest shapes that together are 95 % of the jobs, each
 * with its share. A share is worked out anew only when an eighth of the jobs is new, so that much can be remembered meanwhile.
 */
final class TaskMix {
    /** What one job asks of a node; all of it, not by GPU. */
    record Shape(int gpus, int milli, long cpuMilli, long memoryMib, long types) {
        static Shape of(Demand demand, long types) {
            int gpus = demand.minGpus();
            return new Shape(
                    gpus, demand.gpuMilli(), gpus * demand.cpuMilliPerGpu(), gpus * demand.memoryMibPerGpu(), types);
        }
    }

    record Usual(Shape shape, double share) {}

    private record Met(long id, Shape shape) {}

    static final int REMEMBERED = 2048;
    private static final double COVERED = 0.95;
    private static final int RENEWED = 8;
    private static final Comparator<Shape> ANY_FIXED_ORDER = Comparator.comparingInt(Shape::gpus)
            .thenComparingInt(Shape::milli)
            .thenComparingLong(Shape::cpuMilli)
            .thenComparingLong(Shape::memoryMib)
            .thenComparingLong(Shape::types);

    private final Deque<Met> latest = new ArrayDeque<>();
    private final Set<Long> known = new HashSet<>();
    private final Map<Shape, Integer> counts = new HashMap<>();
    private List<Usual> usual = List.of();
    private int fresh;

    /** Whether the shares changed by it; a job that is remembered counts once. */
    boolean meet(JobView job) {
        if (!known.add(job.id())) {
            return false;
        }
        Met met = new Met(job.id(), Shape.of(job.job().demand(), job.eligibleTypes()));
        latest.add(met);
        counts.merge(met.shape, 1, Integer::sum);
        if (latest.size() > REMEMBERED) {
            Met oldest = latest.remove();
            known.remove(oldest.id);
            counts.computeIfPresent(oldest.shape, (shape, count) -> count == 1 ? null : count - 1);
        }
        if (++fresh * RENEWED < latest.size()) {
            return false;
        }
        fresh = 0;
        usual = shares(counts, COVERED);
        return true;
    }

    List<Usual> usual() {
        return usual;
    }

    /** The commonest shapes that together are this part of all, with their shares among themselves. */
    static List<Usual> shares(Map<Shape, Integer> counts, double part) {
        List<Map.Entry<Shape, Integer>> common = new ArrayList<>(counts.entrySet());
        common.sort(Map.Entry.<Shape, Integer>comparingByValue()
                .reversed()
                .thenComparing(Map.Entry::getKey, ANY_FIXED_ORDER));
        int all = counts.values().stream().mapToInt(count -> count).sum();
        int covered = 0;
        int kept = 0;
        while (kept < common.size() && covered < part * all) {
            covered += common.get(kept++).getValue();
        }
        List<Usual> shares = new ArrayList<>();
        for (Map.Entry<Shape, Integer> each : common.subList(0, kept)) {
            shares.add(new Usual(each.getKey(), (double) each.getValue() / covered));
        }
        return List.copyOf(shares);
    }
}
