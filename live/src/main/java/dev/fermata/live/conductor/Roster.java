package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.learn.Kind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The live jobs by id, counted by state and by queue. Belongs to the conductor's thread. */
final class Roster {
    private final Map<Long, LiveJob> jobs = new LinkedHashMap<>();
    private final Map<String, Count> queues = new TreeMap<>();
    private final Map<Kind, Set<LiveJob>> families = new HashMap<>();
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

    /** The live jobs of one command and model, oldest first. */
    Set<LiveJob> family(Kind family) {
        return families.getOrDefault(family, Set.of());
    }

    /** The live jobs whose command and model are called so. */
    List<LiveJob> labelled(String label) {
        return families.entrySet().stream()
                .filter(entry -> entry.getKey().label().equals(label))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
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
        families.computeIfAbsent(job.family, kind -> new LinkedHashSet<>()).add(job);
        count(job, 1);
    }

    /** Every change of a live job that may matter to a count is made through here; one that ended is let go. */
    void change(LiveJob job, Consumer<LiveJob> change) {
        count(job, -1);
        change.accept(job);
        if (job.state.isFinal()) {
            jobs.remove(job.id);
            families.computeIfPresent(job.family, (kind, all) -> all.remove(job) && all.isEmpty() ? null : all);
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
        Map<String, Count> sums = new TreeMap<>();
        for (QueueRule rule : rules) {
            ruleOf.put(rule.path(), rule);
            addUpwards(rule.path(), new Count(), sums);
        }
        queues.forEach((path, count) -> addUpwards(path, count, sums));
        List<QueueState> states = new ArrayList<>(sums.size());
        sums.forEach((path, sum) -> states.add(state(path, ruleOf.get(path), sum)));
        return List.copyOf(states);
    }

    /** To the queue itself and to every one above it. */
    private static void addUpwards(String path, Count count, Map<String, Count> sums) {
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            Count sum = sums.computeIfAbsent(path.substring(0, end), p -> new Count());
            sum.usedGpus += count.usedGpus;
            sum.pending += count.pending;
            sum.onGpus += count.onGpus;
        }
    }

    private static QueueState state(String path, @Nullable QueueRule rule, Count sum) {
        int limit = rule == null || rule.limitGpus() == QueueRule.NO_LIMIT ? -1 : rule.limitGpus();
        return new QueueState(
                path,
                rule == null ? 0 : rule.guaranteeGpus(),
                limit,
                rule == null ? 1 : rule.weight(),
                sum.usedGpus,
                sum.pending,
                sum.onGpus);
    }
}
