package dev.fermata.live.state;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.QueueRule;
import dev.fermata.live.profile.ProfileKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The live jobs by id and program, and the use of each queue: a projection. {@link #refresh} follows each change of a job.
 * Only the scheduler loop's thread uses it.
 */
public final class LiveJobIndex {
    private final Map<Long, LiveJob> jobs = new LinkedHashMap<>();
    private final Map<String, QueueCount> queues = new TreeMap<>();
    private final Map<ProfileKey, Set<LiveJob>> byProgram = new HashMap<>();
    /** What each job adds to the count of its queue. */
    private final Map<Long, QueueShare> shares = new HashMap<>();

    private final Map<String, Long> bytesOfUser = new HashMap<>();
    private long bytes;

    private record QueueShare(String queue, boolean pending, int gpus) {
        static QueueShare of(LiveJob job) {
            Allocation held = job.heldGpus();
            return new QueueShare(job.spec.queue(), job.state() == JobState.PENDING, held == null ? 0 : held.size());
        }
    }

    /** Jobs of one queue, without the queues below it. */
    private static final class QueueCount {
        int usedGpus;
        int pending;
        int onGpus;

        boolean isEmpty() {
            return pending == 0 && onGpus == 0;
        }
    }

    @Nullable
    public LiveJob find(long id) {
        return jobs.get(id);
    }

    public Iterable<LiveJob> all() {
        return jobs.values();
    }

    /** The live jobs of one command and model, oldest first. */
    public Set<LiveJob> ofProgram(ProfileKey programKey) {
        return byProgram.getOrDefault(programKey, Set.of());
    }

    /** The live jobs whose command and model have this label. */
    public List<LiveJob> withLabel(String label) {
        return byProgram.entrySet().stream()
                .filter(entry -> entry.getKey().label().equals(label))
                .flatMap(entry -> entry.getValue().stream())
                .toList();
    }

    public int size() {
        return jobs.size();
    }

    /** What all live jobs need in memory. */
    public long bytes() {
        return bytes;
    }

    /** What the live jobs of this user need in memory. */
    public long bytesOf(String user) {
        return bytesOfUser.getOrDefault(user, 0L);
    }

    public void add(LiveJob job) {
        jobs.put(job.id, job);
        bytes += job.bytes();
        bytesOfUser.merge(job.user, job.bytes(), Long::sum);
        byProgram.computeIfAbsent(job.programKey, key -> new LinkedHashSet<>()).add(job);
    }

    /** A job that ended leaves the index. */
    public void remove(LiveJob job) {
        if (jobs.remove(job.id) != null) {
            bytes -= job.bytes();
            bytesOfUser.computeIfPresent(
                    job.user, (user, sum) -> sum > job.bytes() ? Long.valueOf(sum - job.bytes()) : null);
        }
        byProgram.computeIfPresent(job.programKey, (key, all) -> all.remove(job) && all.isEmpty() ? null : all);
    }

    /** Counts a job as it is now, or no longer if it has ended. */
    public void refresh(LiveJob job) {
        QueueShare before = shares.remove(job.id);
        if (before != null) {
            count(before, -1);
        }
        if (jobs.get(job.id) == job) {
            QueueShare now = QueueShare.of(job);
            shares.put(job.id, now);
            count(now, 1);
        }
    }

    private void count(QueueShare share, int sign) {
        QueueCount count = queues.computeIfAbsent(share.queue, path -> new QueueCount());
        count.pending += share.pending ? sign : 0;
        count.onGpus += share.pending ? 0 : sign;
        count.usedGpus += sign * share.gpus;
        if (count.isEmpty()) {
            queues.remove(share.queue);
        }
    }

    /** Its position among the pending jobs by submission order; 1 is first. */
    public int queuePosition(LiveJob asked) {
        int before = 0;
        for (LiveJob job : jobs.values()) {
            before += job.state() == JobState.PENDING && job.id < asked.id ? 1 : 0;
        }
        return before + 1;
    }

    /** All queues that a rule or a job names and the queues above them; counts include the queues below. */
    public List<QueueState> queueStates(List<QueueRule> rules) {
        Map<String, QueueRule> ruleOf = new TreeMap<>();
        Map<String, QueueCount> sums = new TreeMap<>();
        for (QueueRule rule : rules) {
            ruleOf.put(rule.path(), rule);
            addToAncestors(rule.path(), new QueueCount(), sums);
        }
        queues.forEach((path, count) -> addToAncestors(path, count, sums));
        List<QueueState> states = new ArrayList<>(sums.size());
        sums.forEach((path, sum) -> states.add(queueState(path, ruleOf.get(path), sum)));
        return List.copyOf(states);
    }

    /** Adds the count to the queue and to every queue above it. */
    private static void addToAncestors(String path, QueueCount count, Map<String, QueueCount> sums) {
        for (int end = path.length(); end > 0; end = path.lastIndexOf('/', end - 1)) {
            QueueCount sum = sums.computeIfAbsent(path.substring(0, end), p -> new QueueCount());
            sum.usedGpus += count.usedGpus;
            sum.pending += count.pending;
            sum.onGpus += count.onGpus;
        }
    }

    private static QueueState queueState(String path, @Nullable QueueRule rule, QueueCount sum) {
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
