package dev.fermata.core.admit;

import dev.fermata.core.contract.View;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** One queue: what it is entitled to, what it uses, and who waits in it. Jobs stand in leaves only (see {@link QueueTree}). */
final class Queue {
    final String path;
    final @Nullable Queue parent;
    final int depth;
    final List<Queue> children = new ArrayList<>();
    private @Nullable QueueRule rule;

    /** Live jobs in it and below. */
    int jobs;

    private int heldGpus;
    private int promisedGpus;
    private int plannedGpus;
    private int leavingGpus;
    private long pendingGpus;
    /** What its jobs want, running or not, within its limit. */
    int want;
    /** What it and those below it are guaranteed. */
    int guarantee;
    /** What it may use of the cluster while others want the rest. */
    int share;
    /** GPUs that it loses by what is being decided. */
    int losing;

    // ---- a leaf's own ----

    final TreeSet<Applicant> waiting = new TreeSet<>(Applicant.ORDER);
    /** Those of the waiting that the policy knows of. */
    final Set<Applicant> shown = new LinkedHashSet<>();
    /** At least the largest least size among them. */
    int largestShown;
    /** Whether one of them was turned away since it was last looked for. */
    boolean barred;

    private long barredVersion = -1;
    private int barredGpus;
    /** Those to whom something happened in this step. */
    final Set<Applicant> fresh = new LinkedHashSet<>();
    /** Since when it has a claim to GPUs and gets none, or -1. */
    long claimSinceMillis = -1;
    /** After how long without a start it gets a turn, and how long that may last. */
    long patienceMillis;

    Queue(String path, @Nullable Queue parent) {
        this.path = path;
        this.parent = parent;
        this.depth = parent == null ? 0 : parent.depth + 1;
    }

    void rule(@Nullable QueueRule now) {
        rule = now;
    }

    boolean ruled() {
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

    /** GPUs that its jobs hold or are promised, and will be given by what is being decided; each counted once. */
    int usage() {
        return heldGpus + promisedGpus + plannedGpus;
    }

    /** GPUs that it will still use when those who were asked to leave have left. */
    int staying() {
        return usage() - leavingGpus - losing;
    }

    long pendingGpus() {
        return pendingGpus;
    }

    void hold(int gpus, int leaving) {
        for (Queue q = this; q != null; q = q.parent) {
            q.heldGpus += gpus;
            q.leavingGpus += leaving;
        }
    }

    void pend(long gpus) {
        for (Queue q = this; q != null; q = q.parent) {
            q.pendingGpus += gpus;
        }
    }

    void count(int more) {
        for (Queue q = this; q != null; q = q.parent) {
            q.jobs += more;
        }
    }

    void promise(int gpus) {
        promisedGpus += gpus;
    }

    void plan(int gpus) {
        plannedGpus += gpus;
    }

    void forgetPromises() {
        promisedGpus = 0;
    }

    void forgetPlans() {
        plannedGpus = 0;
        losing = 0;
    }

    boolean isAbove(@Nullable Queue other) {
        Queue q = other;
        while (q != null && q.depth > depth) {
            q = q.parent;
        }
        return q == this;
    }

    /** GPUs that a job in it may still take without breaking a limit, its own or one above. */
    int limitRoom() {
        int room = Integer.MAX_VALUE;
        for (Queue q = this; q != null; q = q.parent) {
            room = Math.min(room, q.limit() - q.usage());
        }
        return room;
    }

    /** The same if jobs that count towards these limits made room. */
    int exchangeRoom() {
        long room = Integer.MAX_VALUE;
        for (Queue q = this; q != null; q = q.parent) {
            room = Math.min(room, (long) q.limit() - q.usage() + q.staying());
        }
        return (int) room;
    }

    /** GPUs that its share, and those above it, leave it; the last job may take more than that. */
    int shareRoom() {
        int room = Integer.MAX_VALUE;
        for (Queue q = this; q.parent != null; q = q.parent) {
            room = Math.min(room, q.share - q.usage());
        }
        return room;
    }

    /**
     * Whether it can do without so many GPUs for the sake of another queue. Nobody takes what another queue is guaranteed; and who is
     * not entitled to more takes nothing of another's share.
     */
    boolean spares(int gpus, Queue other, boolean entitled) {
        for (Queue q = this; q != null && !q.isAbove(other); q = q.parent) {
            if (q.staying() - gpus < (entitled ? q.guarantee : Math.max(q.guarantee, q.share))) {
                return false;
            }
        }
        return true;
    }

    /** One of its jobs was turned away; those as large or larger would be, until capacity changes. */
    void bar(int gpus, View view) {
        barredGpus = barredVersion == view.capacityVersion() ? Math.min(barredGpus, gpus) : gpus;
        barredVersion = view.capacityVersion();
        barred = true;
    }

    boolean isBarred(int gpus, View view) {
        return barredVersion == view.capacityVersion() && gpus >= barredGpus;
    }

    @Override
    public String toString() {
        return path + " " + usage() + "/" + share;
    }
}
