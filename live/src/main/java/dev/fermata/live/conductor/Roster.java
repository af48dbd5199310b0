package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The live jobs by id, counted by state and by queue. Belongs to the conductor's thread. */
final class Roster {
    private final Map<Long, LiveJob> jobs = new LinkedHashMap<>();
    private final Map<String, Count> queues = new TreeMap<>();
    private int pending;
    private int onGpus;

    /** Jobs that name this very queue. */
    private static final class Count {
        int usedGpus;
        int pending;
        int onGpus;

        boolean isEmpty() {
            return pending == 0 && onGpus == 0;
        }
    }

    @Nullable
    LiveJob find(long id) {
        return jobs.get(id);
    }

    Iterable<LiveJob> all() {
        return jobs.values();
    }

    int size() {
        return jobs.size();
    }

    int pending() {
        return pending;
    }

    int onGpus() {
        return onGpus;
    }

    void add(LiveJob job) {
        jobs.put(job.id, job);
        count(job, 1);
    }

    /** Every change of a live job that may matter to a count is made through here; one that ended is let go. */
    void change(LiveJob job, Consumer<LiveJob> change) {
        count(job, -1);
        change.accept(job);
        if (job.state.isFinal()) {
            jobs.remove(job.id);
        } else {
            count(job, 1);
        }
    }

    private void count(LiveJob job, int sign) {
        Count count = queues.computeIfAbsent(job.spec.queue(), path -> new Count());
        if (job.state == JobState.PENDING) {
            pending += sign;
            count.pending += sign;
        } else {
            onGpus += sign;
            count.onGpus += sign;
            Allocation held = job.held();
            count.usedGpus += held == null ? 0 : sign * held.size();
        }
        if (count.isEmpty()) {
            queues.remove(job.spec.queue());
        }
    }

    /** Its place among the pending jobs, first come first. */
    int position(LiveJob asked) {
        int before = 0;
        for (LiveJob job : jobs.values()) {
            before += job.state == JobState.PENDING && job.id < asked.id ? 1 : 0;
        }
        return before + 1;
    }

    /** Every queue that a rule or a job names, and those above them, each with all that is below it. */
    List<QueueState> queues(List<QueueRule> rules) {
        Map<String, QueueRule> ruleOf = new TreeMap<>();
        rules.forEach(rule -> ruleOf.put(rule.path(), rule));
        TreeSet<String> paths = new TreeSet<>();
        for (String path : ruleOf.keySet()) {
            addWithParents(path, paths);
        }
        for (String path : queues.keySet()) {
            addWithParents(path, paths);
        }
        List<QueueState> states = new ArrayList<>(paths.size());
        for (String path : paths) {
            states.add(state(path, ruleOf.get(path)));
        }
        return List.copyOf(states);
    }

    private static void addWithParents(String path, Set<String> paths) {
        paths.add(path);
        for (int slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
            paths.add(path.substring(0, slash));
        }
    }

    private QueueState state(String path, @Nullable QueueRule rule) {
        int used = 0;
        int waiting = 0;
        int running = 0;
        for (Map.Entry<String, Count> queue : queues.entrySet()) {
            if (queue.getKey().equals(path) || queue.getKey().startsWith(path + "/")) {
                used += queue.getValue().usedGpus;
                waiting += queue.getValue().pending;
                running += queue.getValue().onGpus;
            }
        }
        int limit = rule == null || rule.limitGpus() == QueueRule.NO_LIMIT ? -1 : rule.limitGpus();
        return new QueueState(
                path,
                rule == null ? 0 : rule.guaranteeGpus(),
                limit,
                rule == null ? 1 : rule.weight(),
                used,
                waiting,
                running);
    }
}
