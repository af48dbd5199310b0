package dev.fermata.core.admission;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Draft;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reclaims what a queue is guaranteed, for a waiting job that fits into the guarantee. It preempts jobs of queues above
 * their guarantees: those that lose least first, and no more than are needed.
 *
 * <p>No queue is brought below its own guarantee, so GPUs are never taken back on the same grounds. A job's limit on its
 * preemptions does not keep GPUs from their queue.
 */
final class GuaranteeReclaim {
    /** How many jobs of a queue are tried before it has to wait for the next decision. */
    private static final int MAX_TRIED = 8;
    /** How many are examined to find them. */
    private static final int MAX_EXAMINED = 2000;

    private record Borrower(AdmissionEntry entry, long lossGpuMillis) {
        static final Comparator<Borrower> CHEAPEST =
                Comparator.comparingLong(Borrower::lossGpuMillis).thenComparingLong(v -> v.entry.id());
    }

    private final QueueTree queues;
    private final QueueStarvationGuard starvationGuard;
    private final View view;
    private final Draft draft;
    private final int mark;
    private long nextMillis = Plan.NEVER;
    private @Nullable List<Borrower> borrowers;

    GuaranteeReclaim(QueueTree queues, QueueStarvationGuard starvationGuard, View view) {
        this.queues = queues;
        this.starvationGuard = starvationGuard;
        this.view = view;
        this.draft = view.draft();
        this.mark = draft.mark();
    }

    /** The first preemption that is due, or null. The draft is left as it was. */
    Action.@Nullable Preempt findPreemption() {
        for (QueueNode leaf : queues.leaves()) {
            Action.Preempt found = forQueue(leaf);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Action.@Nullable Preempt forQueue(QueueNode leaf) {
        if (guaranteeingQueue(leaf, 1) == null) {
            return null;
        }
        int seen = 0;
        int tried = 0;
        for (AdmissionEntry entry : leaf.waiting) {
            if (tried == MAX_TRIED || seen++ == MAX_EXAMINED) {
                break;
            }
            QueueNode guaranteed = guaranteeingQueue(leaf, entry.minGpus());
            if (guaranteed != null
                    && !starvationGuard.isHeldBack(entry)) { // a smaller job behind a large one has the same claim
                tried++;
                Action.Preempt found = forJob(entry, guaranteed);
                draft.rollback(mark);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** When the next job becomes preemptible. */
    long nextMillis() {
        return nextMillis;
    }

    /** The lowest queue above a job whose guarantee has room for it, or null. */
    private static @Nullable QueueNode guaranteeingQueue(QueueNode leaf, int gpus) {
        for (QueueNode q = leaf; q != null; q = q.parent) {
            if (fits(q, gpus)) {
                return q;
            }
        }
        return null;
    }

    private static boolean fits(QueueNode queue, int gpus) {
        return queue.parent != null && queue.usage() + (long) gpus <= queue.guarantee;
    }

    /** Victims are below this queue: as far up as guarantees have room for the job. */
    private static QueueNode scope(QueueNode guaranteed, int gpus) {
        QueueNode q = guaranteed;
        while (q.parent != null && fits(q, gpus)) {
            q = q.parent;
        }
        return q;
    }

    private Action.@Nullable Preempt forJob(AdmissionEntry entry, QueueNode guaranteed) {
        QueueNode scope = scope(guaranteed, entry.minGpus());
        List<Borrower> all = new ArrayList<>();
        for (Borrower victim : borrowers()) {
            QueueNode leaf = victim.entry.queue;
            if (scope.isAncestorOf(leaf) && !guaranteed.isAncestorOf(leaf)) {
                all.add(victim);
            }
        }
        for (int type : entry.jobView.typesByPreference()) {
            Action.Preempt found = findOnType(entry, type, all);
            if (found != null) {
                return found;
            }
            draft.rollback(mark);
        }
        return null;
    }

    /** Possible victims for any beneficiary, cheapest first; computed once. */
    private List<Borrower> borrowers() {
        List<Borrower> found = borrowers;
        if (found == null) {
            found = new ArrayList<>();
            for (AdmissionEntry running : queues.running()) {
                QueueNode leaf = running.queue;
                if (leaf != null && leaf.usageAfterVacating() > leaf.guarantee && isPreemptible(running.jobView)) {
                    found.add(new Borrower(running, lossGpuMillis(running.jobView)));
                }
            }
            found.sort(Borrower.CHEAPEST);
            borrowers = found;
        }
        return found;
    }

    private boolean isPreemptible(JobView job) {
        boolean may = job.state() == JobState.RUNNING;
        if (may && job.preemptibleFromMillis() > view.nowMillis()) {
            nextMillis = Math.min(nextMillis, job.preemptibleFromMillis());
            return false;
        }
        return may;
    }

    /** GPU-time that preempting a job wastes: leaving, loading again, and what it must repeat. */
    private long lossGpuMillis(JobView job) {
        long again = 0;
        if (!job.job().savesWithinGrace()) {
            long elapsed = view.nowMillis() - job.runningMillis();
            again = job.job().checkpointMillis() > 0 ? elapsed % job.job().checkpointMillis() : elapsed;
        }
        return (job.job().vacateMillis() + job.job().costs().reloadMillis() + again) * job.gpus();
    }

    private Action.@Nullable Preempt findOnType(AdmissionEntry entry, int type, List<Borrower> all) {
        List<Borrower> chosen = new ArrayList<>();
        Allocation place = findPlace(entry, type);
        for (int i = 0; i < all.size() && place == null; i++) {
            Borrower next = all.get(i);
            Allocation held = next.entry.jobView.allocation();
            if (held != null && view.topology().typeOf(held.gpu(0)) == type && canSpare(chosen, next, entry)) {
                draft.evict(next.entry.jobView);
                chosen.add(next);
                place = findPlace(entry, type);
            }
        }
        if (place == null) {
            return null;
        }
        place = dropSurplusVictims(entry, type, chosen, place);
        List<Long> ids = chosen.stream().map(v -> v.entry.id()).toList();
        for (QueueNode q = entry.queue; q != null; q = q.parent) {
            if (q.usage() + (long) queues.addedUsage(q, place) > q.limit()) {
                return null;
            }
        }
        return Action.Preempt.reclaiming(entry.id(), place, ids);
    }

    /** Whether every queue that loses by this victim and the others keeps what it is guaranteed. */
    private static boolean canSpare(List<Borrower> chosen, Borrower next, AdmissionEntry beneficiary) {
        for (QueueNode q = next.entry.queue; q != null && !q.isAncestorOf(beneficiary.queue); q = q.parent) {
            int left = q.usageAfterVacating() - next.entry.jobView.gpus();
            for (Borrower other : chosen) {
                left -= q.isAncestorOf(other.entry.queue) ? other.entry.jobView.gpus() : 0;
            }
            if (left < q.guarantee) {
                return false;
            }
        }
        return true;
    }

    /** Lets every victim stay that is not needed, the costliest first; returns the remaining place. */
    private Allocation dropSurplusVictims(AdmissionEntry entry, int type, List<Borrower> chosen, Allocation found) {
        Allocation place = found;
        for (int i = chosen.size() - 1; i >= 0; i--) {
            Borrower kept = chosen.remove(i);
            draft.rollback(mark);
            chosen.forEach(v -> draft.evict(v.entry.jobView));
            Allocation without = findPlace(entry, type);
            if (without == null) {
                chosen.add(i, kept);
            } else {
                place = without;
            }
        }
        draft.rollback(mark);
        chosen.forEach(v -> draft.evict(v.entry.jobView));
        return place;
    }

    private @Nullable Allocation findPlace(AdmissionEntry entry, int type) {
        Demand demand = entry.jobView.job().demand();
        return FewestNodes.find(draft.capacity(), demand, type, demand.minGpus(), Horizon.SOON);
    }
}
