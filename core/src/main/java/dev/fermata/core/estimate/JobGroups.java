package dev.fermata.core.estimate;

import dev.fermata.core.model.Job;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The groups a job belongs to, from all jobs down to jobs of the same class, size, queue, model, user and name. The groups unused
 * for longest are dropped when there are too many, so memory is bounded.
 */
final class JobGroups {
    static final int DEPTH = 6;
    /** Jobs of one class, size, queue and model, of any user and name. */
    static final int MODEL_DEPTH = 3;

    private static final int MAX_GROUPS = 20_000;

    /** What the jobs of a group share; empty where they differ. */
    private record GroupKey(
            int depth, String jobClass, int gpus, int milli, String queue, String model, String user, String name) {}

    /** Least recently used first. */
    private final Map<GroupKey, SurvivalCounts> known = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<GroupKey, GroupPath> groupPaths = new HashMap<>();

    /** The groups of a job, the same object for all jobs of the same groups. */
    GroupPath of(Job job) {
        SurvivalCounts[] groups = new SurvivalCounts[DEPTH];
        // the more general last: no group is dropped before those below it
        for (int depth = DEPTH - 1; depth >= 0; depth--) {
            groups[depth] = known.computeIfAbsent(key(depth, job), k -> new SurvivalCounts());
        }
        evictOldest();
        return groupPaths.computeIfAbsent(key(DEPTH - 1, job), k -> new GroupPath(groups));
    }

    private void evictOldest() {
        while (known.size() > MAX_GROUPS) {
            GroupKey oldest = known.keySet().iterator().next();
            known.remove(oldest);
            groupPaths.remove(oldest);
        }
    }

    private static GroupKey key(int depth, Job job) {
        return new GroupKey(
                depth,
                depth < 1 ? "" : job.jobClass().name(),
                depth < 1 ? 0 : job.demand().maxGpus(),
                depth < 1 ? 0 : job.demand().gpuMilli(),
                depth < 2 ? "" : job.queue(),
                depth < 3 ? "" : job.profile().model(),
                depth < 4 ? "" : job.user(),
                depth < 5 ? "" : prefix(job.name()));
    }

    /** The name without the part that distinguishes runs: digits and separators at its end. */
    static String prefix(String name) {
        int end = name.length();
        while (end > 0 && !Character.isLetter(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end);
    }
}
