package dev.fermata.core.admission;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
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
 * The queues by path, what each uses, and how the cluster is divided among them. A job of {@code research} is a sibling of
 * {@code research/nlp}, in a leaf of its own that has no rule ({@code research/}); so only leaves hold jobs.
 */
final class QueueTree {
    private final QueueNode root = new QueueNode("", null);
    private final Map<String, QueueNode> byPath = new LinkedHashMap<>();
    private final Map<String, QueueRule> rules = new LinkedHashMap<>();
    private final @Nullable QueueNode[] holder;
    private final Set<AdmissionEntry> reservedEntries = new LinkedHashSet<>();
    private final Set<AdmissionEntry> running = new LinkedHashSet<>();
    private long releases;
    private final List<QueueNode> withReservations = new ArrayList<>();
    private final List<QueueNode> withPlans = new ArrayList<>();
    private final List<QueueNode> leaves = new ArrayList<>();

    QueueTree(int gpus) {
        holder = new @Nullable QueueNode[gpus];
    }

    void setRules(List<QueueRule> now) {
        rules.clear();
        now.forEach(rule -> rules.put(QueueRule.trimPath(rule.path()), rule));
        byPath.values().forEach(queue -> queue.setRule(rules.get(queue.path)));
        rules.keySet().forEach(this::queue);
        List.copyOf(leaves).forEach(this::prune);
    }

    /** Leaves with jobs. */
    List<QueueNode> leaves() {
        return leaves;
    }

    /** The leaf for this job: one for all jobs of its queue, or where users share the queue fairly one for its user. */
    QueueNode leaf(Job job) {
        String path = QueueRule.trimPath(job.queue());
        QueueRule rule = rules.get(path);
        boolean fair = rule != null && rule.terms().perUser().fair();
        return queue(path + "/" + (fair ? "/" + job.user().replace("/", "%2F") + "/" : ""));
    }

    private QueueNode queue(String path) {
        QueueNode found = byPath.get(path);
        if (found == null) {
            int cut = path.lastIndexOf('/');
            QueueNode parent = cut <= 0 ? root : queue(path.substring(0, cut));
            found = new QueueNode(path, parent);
            found.setRule(rules.get(path));
            parent.children.add(position(parent.children, path), found);
            byPath.put(path, found);
            if (path.endsWith("/")) {
                leaves.add(found);
            }
        }
        return found;
    }

    /** The position of a path among its siblings, which are kept in their order. */
    private static int position(List<QueueNode> siblings, String path) {
        int at = 0;
        while (at < siblings.size() && siblings.get(at).path.compareTo(path) < 0) {
            at++;
        }
        return at;
    }

    /** Removes a queue without jobs or rule, and the queues above it in the same way. */
    void prune(QueueNode leaf) {
        QueueNode q = leaf;
        while (q.parent != null && q.jobs == 0 && q.children.isEmpty() && !q.hasRule()) {
            byPath.remove(q.path);
            leaves.remove(q);
            q.parent.children.remove(q);
            q = q.parent;
        }
    }

    // ---- use ----

    /** Records what a job holds, has reserved and requests now; {@code leaf} is null when it ended. */
    void update(AdmissionEntry entry, @Nullable QueueNode leaf, boolean waits) {
        QueueNode old = entry.queue;
        int before = entry.heldGpus;
        if (old != null) {
            old.addHeld(-entry.heldGpus, -entry.vacatingGpus);
            old.addJobs(-1);
            old.recentlyChanged.remove(entry);
            moveHolder(entry.held, old, null);
            reservedEntries.remove(entry);
            running.remove(entry);
            dequeue(entry);
        }
        entry.queue = leaf;
        entry.heldGpus = 0;
        entry.vacatingGpus = 0;
        entry.held = null;
        if (leaf != null) {
            leaf.addJobs(1);
            boolean runs = AdmissionTable.isOnGpus(entry.jobView);
            if (runs) {
                entry.held = entry.jobView.allocation();
                // a job that moves or is resized holds what it leaves, and has its next GPUs reserved
                entry.heldGpus = entry.jobView.gpus() + entry.jobView.reservedGpus();
                entry.vacatingGpus = entry.jobView.state() == JobState.PREEMPTING ? entry.jobView.gpus() : 0;
                leaf.addHeld(entry.heldGpus, entry.vacatingGpus);
                moveHolder(entry.held, null, leaf);
                running.add(entry);
            } else if (entry.jobView.hasReservation()) {
                reservedEntries.add(entry);
            } else if (waits) {
                enqueue(entry, leaf);
            }
        }
        releases += entry.heldGpus < before ? 1 : 0;
        if (old != null && old != leaf) {
            prune(old);
        }
    }

    /** Jobs on GPUs. */
    Set<AdmissionEntry> running() {
        return running;
    }

    /** How often a job gave GPUs back. */
    long releases() {
        return releases;
    }

    private void moveHolder(@Nullable Allocation gpus, @Nullable QueueNode from, @Nullable QueueNode to) {
        for (int i = 0; gpus != null && i < gpus.size(); i++) {
            if (holder[gpus.gpu(i)] == from) { // of the jobs that share a GPU the first counts
                holder[gpus.gpu(i)] = to;
            }
        }
    }

    private void enqueue(AdmissionEntry entry, QueueNode leaf) {
        entry.queueEligible = true;
        entry.priority = entry.jobView.job().priority();
        entry.fifoKeyMillis = entry.jobView.fifoKeyMillis();
        leaf.waiting.add(entry);
        entry.pendingGpus = Math.min(entry.maxGpus(), holder.length); // no job gets more than there is
        leaf.addPending(entry.pendingGpus);
    }

    private static void dequeue(AdmissionEntry entry) {
        if (entry.queueEligible) {
            QueueNode leaf = Objects.requireNonNull(entry.queue);
            entry.queueEligible = false;
            leaf.waiting.remove(entry);
            leaf.visible.remove(entry);
            leaf.addPending(-entry.pendingGpus);
        }
    }

    /** Recounts reservations: a GPU that a job of the same queue is about to leave is in use once, not twice. */
    void recountReservations() {
        withReservations.forEach(QueueNode::clearReserved);
        withReservations.clear();
        for (AdmissionEntry entry : reservedEntries) {
            Allocation reservedAllocation = Objects.requireNonNull(entry.jobView.allocation());
            for (QueueNode q = entry.queue; q != null; q = q.parent) {
                q.addReserved(addedUsage(q, reservedAllocation));
                withReservations.add(q);
            }
        }
    }

    /** GPUs of an allocation that are not in use by this queue yet. */
    int addedUsage(QueueNode queue, Allocation allocation) {
        int more = 0;
        for (int i = 0; i < allocation.size(); i++) {
            more += queue.isAncestorOf(holder[allocation.gpu(i)]) ? 0 : 1;
        }
        return more;
    }

    /** A job of this leaf will get these GPUs when the round is over. */
    void addPlan(QueueNode leaf, Allocation allocation) {
        for (QueueNode q = leaf; q != null; q = q.parent) {
            q.addPlanned(addedUsage(q, allocation));
            withPlans.add(q);
        }
    }

    /** This queue and the queues above it lose GPUs by the present plan, down from {@code below} (which loses none). */
    void addLoss(QueueNode leaf, QueueNode below, int gpus) {
        for (QueueNode q = leaf; !q.isAncestorOf(below) && q.parent != null; q = q.parent) {
            q.losingGpus += gpus;
            withPlans.add(q);
        }
    }

    void clearPlans() {
        withPlans.forEach(QueueNode::clearPlans);
        withPlans.clear();
    }

    // ---- shares ----

    /** Divides the healthy GPUs: guarantees first, the rest by weight among siblings that request more. */
    void divideShares(int gpus) {
        sumDemand(root);
        root.share = gpus;
        divideAmongChildren(root);
    }

    private static void sumDemand(QueueNode queue) {
        int demand = saturated(queue.usage() + queue.pendingGpus());
        int guaranteed = 0;
        if (!queue.children.isEmpty()) {
            demand = 0;
            for (QueueNode child : queue.children) {
                sumDemand(child);
                demand = saturated((long) demand + child.demandGpus);
                guaranteed = saturated((long) guaranteed + child.guarantee);
            }
        }
        queue.demandGpus = Math.min(demand, queue.limit());
        queue.guarantee = Math.min(queue.limit(), Math.max(queue.ownGuarantee(), guaranteed));
    }

    private static int saturated(long value) {
        return (int) Math.min(Integer.MAX_VALUE, value);
    }

    private static void divideAmongChildren(QueueNode queue) {
        List<QueueNode> demanding = new ArrayList<>(queue.children.size());
        for (QueueNode child : queue.children) {
            child.share = 0;
            if (child.demandGpus > 0) {
                demanding.add(child);
            }
        }
        int n = demanding.size();
        int[] given = new int[n];
        int[] demands = new int[n];
        int[] firm = new int[n];
        double[] weights = new double[n];
        double[] starvationGuard = new double[n];
        long claimed = 0;
        for (int i = 0; i < n; i++) {
            QueueNode child = demanding.get(i);
            demands[i] = child.demandGpus;
            firm[i] = Math.min(child.demandGpus, child.guarantee);
            starvationGuard[i] = Math.max(firm[i], 1e-9);
            weights[i] = child.weight();
            claimed += firm[i];
        }
        if (claimed > queue.share) { // more was guaranteed than there is
            WaterFilling.fill(queue.share, starvationGuard, given, firm);
        } else {
            System.arraycopy(firm, 0, given, 0, n);
            WaterFilling.fill((int) (queue.share - claimed), weights, given, demands);
        }
        for (int i = 0; i < n; i++) {
            demanding.get(i).share = given[i];
            divideAmongChildren(demanding.get(i));
        }
    }
}
