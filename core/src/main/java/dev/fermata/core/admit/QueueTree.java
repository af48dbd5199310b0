package dev.fermata.core.admit;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The queues by path, what each uses, and how the cluster is divided among them. A job of {@code research} stands beside
 * {@code research/nlp}, in a leaf of its own that has no rule ({@code research/}); so only leaves hold jobs.
 */
final class QueueTree {
    private final Queue root = new Queue("", null);
    private final Map<String, Queue> byPath = new LinkedHashMap<>();
    private final Map<String, QueueRule> rules = new LinkedHashMap<>();
    private final @Nullable Queue[] holder;
    private final Set<Applicant> promised = new LinkedHashSet<>();
    private final Set<Applicant> running = new LinkedHashSet<>();
    private long releases;
    private final List<Queue> withPromises = new ArrayList<>();
    private final List<Queue> withPlans = new ArrayList<>();
    private final List<Queue> leaves = new ArrayList<>();

    QueueTree(int gpus) {
        holder = new @Nullable Queue[gpus];
    }

    void rules(List<QueueRule> now) {
        rules.clear();
        now.forEach(rule -> rules.put(QueueRule.trimmed(rule.path()), rule));
        byPath.values().forEach(queue -> queue.rule(rules.get(queue.path)));
        rules.keySet().forEach(this::queue);
        List.copyOf(leaves).forEach(this::prune);
    }

    /** Leaves in which jobs stand. */
    List<Queue> leaves() {
        return leaves;
    }

    /** The leaf for jobs of this queue. */
    Queue leaf(String name) {
        String path = QueueRule.trimmed(name);
        return queue(path.isEmpty() ? "/" : path + "/");
    }

    private Queue queue(String path) {
        Queue found = byPath.get(path);
        if (found == null) {
            int cut = path.lastIndexOf('/');
            Queue parent = cut <= 0 ? root : queue(path.substring(0, cut));
            found = new Queue(path, parent);
            found.rule(rules.get(path));
            parent.children.add(position(parent.children, path), found);
            byPath.put(path, found);
            if (path.endsWith("/")) {
                leaves.add(found);
            }
        }
        return found;
    }

    /** Where a path stands among its sisters, which are kept in their order. */
    private static int position(List<Queue> sisters, String path) {
        int at = 0;
        while (at < sisters.size() && sisters.get(at).path.compareTo(path) < 0) {
            at++;
        }
        return at;
    }

    /** Forgets a queue that nobody is in and no rule names, and those above it in the same way. */
    void prune(Queue leaf) {
        Queue q = leaf;
        while (q.parent != null && q.jobs == 0 && q.children.isEmpty() && !q.ruled()) {
            byPath.remove(q.path);
            leaves.remove(q);
            q.parent.children.remove(q);
            q = q.parent;
        }
    }

    // ---- who uses what ----

    /** Takes in what a job holds, is promised and wants now; {@code leaf} is null when it ended. */
    void note(Applicant applicant, @Nullable Queue leaf, boolean waits) {
        Queue old = applicant.queue;
        int before = applicant.heldGpus;
        if (old != null) {
            old.hold(-applicant.heldGpus, -applicant.leavingGpus);
            old.count(-1);
            old.fresh.remove(applicant);
            holds(applicant.held, old, null);
            promised.remove(applicant);
            running.remove(applicant);
            unline(applicant);
        }
        applicant.queue = leaf;
        applicant.heldGpus = 0;
        applicant.leavingGpus = 0;
        applicant.held = null;
        if (leaf != null) {
            leaf.count(1);
            boolean runs = Roll.runs(applicant.view);
            if (runs) {
                applicant.held = applicant.view.allocation();
                // a job that moves holds what it leaves and is promised as much elsewhere
                applicant.heldGpus = applicant.view.gpus() * (applicant.view.promised() ? 2 : 1);
                applicant.leavingGpus = applicant.view.state() == JobState.PAUSING ? applicant.view.gpus() : 0;
                leaf.hold(applicant.heldGpus, applicant.leavingGpus);
                holds(applicant.held, null, leaf);
                running.add(applicant);
            } else if (applicant.view.promised()) {
                promised.add(applicant);
            } else if (waits) {
                line(applicant, leaf);
            }
        }
        releases += applicant.heldGpus < before ? 1 : 0;
        if (old != null && old != leaf) {
            prune(old);
        }
    }

    /** Jobs on GPUs. */
    Set<Applicant> running() {
        return running;
    }

    /** How often a job gave GPUs back. */
    long releases() {
        return releases;
    }

    private void holds(@Nullable Allocation gpus, @Nullable Queue from, @Nullable Queue to) {
        for (int i = 0; gpus != null && i < gpus.size(); i++) {
            if (holder[gpus.gpu(i)] == from) { // of those who share a GPU the first counts
                holder[gpus.gpu(i)] = to;
            }
        }
    }

    private void line(Applicant applicant, Queue leaf) {
        applicant.waits = true;
        applicant.priority = applicant.view.job().priority();
        applicant.ticketMillis = applicant.view.ticketMillis();
        leaf.waiting.add(applicant);
        applicant.pendingGpus = Math.min(applicant.maxGpus(), holder.length); // nobody gets more than there is
        leaf.pend(applicant.pendingGpus);
    }

    private static void unline(Applicant applicant) {
        if (applicant.waits) {
            Queue leaf = Objects.requireNonNull(applicant.queue);
            applicant.waits = false;
            leaf.waiting.remove(applicant);
            leaf.shown.remove(applicant);
            leaf.pend(-applicant.pendingGpus);
        }
    }

    /** Counts promises anew: a GPU that a job of the same queue is about to leave is in use once, not twice. */
    void countPromises() {
        withPromises.forEach(Queue::forgetPromises);
        withPromises.clear();
        for (Applicant applicant : promised) {
            Allocation kept = Objects.requireNonNull(applicant.view.allocation());
            for (Queue q = applicant.queue; q != null; q = q.parent) {
                q.promise(added(q, kept));
                withPromises.add(q);
            }
        }
    }

    /** GPUs of an allocation that are not in use by this queue yet. */
    int added(Queue queue, Allocation allocation) {
        int more = 0;
        for (int i = 0; i < allocation.size(); i++) {
            more += queue.isAbove(holder[allocation.gpu(i)]) ? 0 : 1;
        }
        return more;
    }

    /** A job of this leaf will get these GPUs when the round is over. */
    void plan(Queue leaf, Allocation allocation) {
        for (Queue q = leaf; q != null; q = q.parent) {
            q.plan(added(q, allocation));
            withPlans.add(q);
        }
    }

    /** This queue and those above it lose GPUs by what is being decided, down from {@code below} (which loses none). */
    void lose(Queue leaf, Queue below, int gpus) {
        for (Queue q = leaf; !q.isAbove(below) && q.parent != null; q = q.parent) {
            q.losing += gpus;
            withPlans.add(q);
        }
    }

    void forgetPlans() {
        withPlans.forEach(Queue::forgetPlans);
        withPlans.clear();
    }

    // ---- who is entitled to what ----

    /** Divides the healthy GPUs: guarantees first, the rest by weight among sisters who want more. */
    void divide(int gpus) {
        measure(root);
        root.share = gpus;
        share(root);
    }

    private static void measure(Queue queue) {
        int want = saturated(queue.usage() + queue.pendingGpus());
        int guaranteed = 0;
        if (!queue.children.isEmpty()) {
            want = 0;
            for (Queue child : queue.children) {
                measure(child);
                want = saturated((long) want + child.want);
                guaranteed = saturated((long) guaranteed + child.guarantee);
            }
        }
        queue.want = Math.min(want, queue.limit());
        queue.guarantee = Math.min(queue.limit(), Math.max(queue.ownGuarantee(), guaranteed));
    }

    private static int saturated(long value) {
        return (int) Math.min(Integer.MAX_VALUE, value);
    }

    private static void share(Queue queue) {
        List<Queue> wanting = new ArrayList<>(queue.children.size());
        for (Queue child : queue.children) {
            child.share = 0;
            if (child.want > 0) {
                wanting.add(child);
            }
        }
        int n = wanting.size();
        int[] given = new int[n];
        int[] wants = new int[n];
        int[] firm = new int[n];
        double[] weights = new double[n];
        double[] claims = new double[n];
        long claimed = 0;
        for (int i = 0; i < n; i++) {
            Queue child = wanting.get(i);
            wants[i] = child.want;
            firm[i] = Math.min(child.want, child.guarantee);
            claims[i] = Math.max(firm[i], 1e-9);
            weights[i] = child.weight();
            claimed += firm[i];
        }
        if (claimed > queue.share) { // more was guaranteed than there is
            WaterFilling.pour(queue.share, claims, given, firm);
        } else {
            System.arraycopy(firm, 0, given, 0, n);
            WaterFilling.pour((int) (queue.share - claimed), weights, given, wants);
        }
        for (int i = 0; i < n; i++) {
            wanting.get(i).share = given[i];
            share(wanting.get(i));
        }
    }
}
