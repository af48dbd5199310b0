package dev.fermata.core.admission;

import dev.fermata.core.contract.View;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One queue: its share, its use, and its waiting jobs. Only leaves hold jobs (see {@link QueueTree}). */
final class QueueNode {
    final String path;
    final @Nullable QueueNode parent;
    final int depth;
    final List<QueueNode> children = new ArrayList<>();
    private @Nullable QueueRule rule;

    /** Live jobs in it and below. */
    int jobs;

    private int heldGpus;
    private int reservedGpus;
    private int plannedGpus;
    private int vacatingGpus;
    private long pendingGpus;
    /** What its jobs request, running or not, within its limit. */
    int demandGpus;
    /** What it and the queues below it are guaranteed. */
    int guarantee;
    /** What it may use of the cluster while others request the rest. */
    int share;
    /** GPUs that it loses by the present plan. */
    int losingGpus;

    // ---- a leaf's own ----

    final TreeSet<AdmissionEntry> waiting = new TreeSet<>(AdmissionEntry.ORDER);
    /** The waiting jobs that the policy sees. */
    final Set<AdmissionEntry> visible = new LinkedHashSet<>();
    /** At least the largest least size among them. */
    int largestVisible;
    /** Whether one of them was rejected since the last check. */
    boolean hasBlocked;

    private long blockedVersion = -1;
    private int blockedGpus;
    /** The jobs that changed in this cycle. */
    final Set<AdmissionEntry> recentlyChanged = new LinkedHashSet<>();
    /** Since when it has a claim to GPUs and gets none, or -1. */
    long starvedSinceMillis = -1;
    /** After how long without a start it is protected, and how long that may last. */
    long patienceMillis;

    QueueNode(String path, @Nullable QueueNode parent) {
        this.path = path;
        this.parent = parent;
        this.depth = parent == null ? 0 : parent.depth + 1;
    }

    void setRule(@Nullable QueueRule now) {
        rule = now;
    }

    boolean hasRule() {
        return rule != null;
    }

    int limit() {
        return rule == null ? QueueRule.NO_LIMIT : rule.limitGpus();
    }

    double weight() {
        return rule == null ? 1 : rule.weight();
    }

    int ownGuarantee() {
        return rule == null ? 0 : rule.guaranteeGpus();
    }

    /** GPUs that its jobs hold, have reserved, or get by the present plan; each counted once. */
    int usage() {
        return heldGpus + reservedGpus + plannedGpus;
    }

    /** GPUs that it will still use when its leaving jobs have left. */
    int usageAfterVacating() {
        return usage() - vacatingGpus - losingGpus;
    }

    long pendingGpus() {
        return pendingGpus;
    }

    void addHeld(int gpus, int vacating) {
        for (QueueNode q = this; q != null; q = q.parent) {
            q.heldGpus += gpus;
            q.vacatingGpus += vacating;
        }
    }

    void addPending(long gpus) {
        for (QueueNode q = this; q != null; q = q.parent) {
            q.pendingGpus += gpus;
        }
    }

    void addJobs(int more) {
        for (QueueNode q = this; q != null; q = q.parent) {
            q.jobs += more;
        }
    }

    void addReserved(int gpus) {
        reservedGpus += gpus;
    }

    void addPlanned(int gpus) {
        plannedGpus += gpus;
    }

    void clearReserved() {
        reservedGpus = 0;
    }

    void clearPlans() {
        plannedGpus = 0;
        losingGpus = 0;
    }

    boolean isAncestorOf(@Nullable QueueNode other) {
        QueueNode q = other;
        while (q != null && q.depth > depth) {
            q = q.parent;
        }
        return q == this;
    }

    /** GPUs that a job in it may still take without breaking a limit, its own or one above. */
    int limitHeadroom() {
        int room = Integer.MAX_VALUE;
        for (QueueNode q = this; q != null; q = q.parent) {
            room = Math.min(room, q.limit() - q.usage());
        }
        return room;
    }

    /** The same if jobs that count towards these limits left. */
    int exchangeHeadroom() {
        long room = Integer.MAX_VALUE;
        for (QueueNode q = this; q != null; q = q.parent) {
            room = Math.min(room, (long) q.limit() - q.usage() + q.usageAfterVacating());
        }
        return (int) room;
    }

    /** GPUs that its share, and the shares above it, leave it; the last job may take more than that. */
    int shareHeadroom() {
        int room = Integer.MAX_VALUE;
        for (QueueNode q = this; q.parent != null; q = q.parent) {
            room = Math.min(room, q.share - q.usage());
        }
        return room;
    }

    /**
     * Whether it can spare this many GPUs for another queue. No queue takes what another is guaranteed; one that is not entitled
     * to more takes nothing of another's share.
     */
    boolean canSpare(int gpus, QueueNode other, boolean entitled) {
        for (QueueNode q = this; q != null && !q.isAncestorOf(other); q = q.parent) {
            if (q.usageAfterVacating() - gpus < (entitled ? q.guarantee : Math.max(q.guarantee, q.share))) {
                return false;
            }
        }
        return true;
    }

    /** One of its jobs was rejected; jobs as large or larger would be too, until capacity changes. */
    void block(int gpus, View view) {
        blockedGpus = blockedVersion == view.capacityVersion() ? Math.min(blockedGpus, gpus) : gpus;
        blockedVersion = view.capacityVersion();
        hasBlocked = true;
    }

    boolean isBlocked(int gpus, View view) {
        return blockedVersion == view.capacityVersion() && gpus >= blockedGpus;
    }

    @Override
    public String toString() {
        return path + " " + usage() + "/" + share;
    }
}
