package dev.fermata.core.estimate;

import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The kinds a job belongs to, from all jobs down to those of the same user, name, model, queue, class and size. Kinds nobody
 * came to for longest are forgotten when there are too many.
 */
final class Kinds {
    private static final int MOST = 20_000;

    private record Key(
            int depth, String jobClass, int gpus, int milli, String queue, String model, String user, String name) {}

    private final Map<Key, Survival> known = new LinkedHashMap<>(16, 0.75f, true);

    /** From the most general to the most specific. */
    List<Survival> of(Job job) {
        String jobClass = job.jobClass().name();
        int gpus = job.demand().maxGpus();
        int milli = job.demand().gpuMilli();
        String queue = job.queue();
        String model = job.profile().model();
        String user = job.user();
        List<Survival> chain = new ArrayList<>(6);
        chain.add(find(new Key(0, "", 0, 0, "", "", "", "")));
        chain.add(find(new Key(1, jobClass, gpus, milli, "", "", "", "")));
        chain.add(find(new Key(2, jobClass, gpus, milli, queue, "", "", "")));
        chain.add(find(new Key(3, jobClass, gpus, milli, queue, model, "", "")));
        chain.add(find(new Key(4, jobClass, gpus, milli, queue, model, user, "")));
        chain.add(find(new Key(5, jobClass, gpus, milli, queue, model, user, prefix(job.name()))));
        return chain;
    }

    private Survival find(Key key) {
        Survival found = known.computeIfAbsent(key, k -> new Survival());
        if (known.size() > MOST) {
            known.remove(known.keySet().iterator().next());
        }
        return found;
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
