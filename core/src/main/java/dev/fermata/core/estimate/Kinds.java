package dev.fermata.core.estimate;

import dev.fermata.core.model.Job;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The kinds a job belongs to, from all jobs down to those of the same class, size, queue, model, user and name. Kinds nobody
 * came to for longest are forgotten when there are too many, so memory is bounded.
 */
final class Kinds {
    static final int DEPTH = 6;
    /** Jobs of one class, size, queue and model, whoever's they are and whatever they are called. */
    static final int MODEL_DEPTH = 3;

    private static final int MOST = 20_000;

    /** What the jobs of a kind share; empty where they differ. */
    private record Key(
            int depth, String jobClass, int gpus, int milli, String queue, String model, String user, String name) {}

    /** Those asked for longest ago first. */
    private final Map<Key, Survival> known = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<Key, Lineage> lineages = new HashMap<>();

    /** The kinds of a job, the same object for all jobs of the same kinds. */
    Lineage of(Job job) {
        Survival[] kinds = new Survival[DEPTH];
        // the more general last: no kind is forgotten before those below it
        for (int depth = DEPTH - 1; depth >= 0; depth--) {
            kinds[depth] = known.computeIfAbsent(key(depth, job), k -> new Survival());
        }
        forgetEldest();
        return lineages.computeIfAbsent(key(DEPTH - 1, job), k -> new Lineage(kinds));
    }

    private void forgetEldest() {
        while (known.size() > MOST) {
            Key eldest = known.keySet().iterator().next();
            known.remove(eldest);
            lineages.remove(eldest);
        }
    }

    private static Key key(int depth, Job job) {
        return new Key(
                depth,
                depth < 1 ? "" : job.jobClass().name(),
                depth < 1 ? 0 : job.demand().maxGpus(),
                depth < 1 ? 0 : job.demand().gpuMilli(),
                depth < 2 ? "" : job.queue(),
                depth < 3 ? "" : job.profile().model(),
                depth < 4 ? "" : job.user(),
                depth < 5 ? "" : prefix(job.name()));
    }

    /** The name without what tells one run from the next: digits and what joins them at its end. */
    static String prefix(String name) {
        int end = name.length();
        while (end > 0 && !Character.isLetter(name.charAt(end - 1))) {
            end--;
        }
        return name.substring(0, end);
    }
}
