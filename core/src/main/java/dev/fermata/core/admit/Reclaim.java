package dev.fermata.core.admit;

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
 * Gets a queue back what it is guaranteed: pauses jobs of queues that use more than they are guaranteed, those that lose least
 * by it first and no more of them than are needed, for a waiting job that fits into the guarantee.
 *
 * <p>Nobody is brought below his own guarantee, so what was taken is never taken back on the same grounds.
 */
final class Reclaim {
    /** How many jobs of a queue are tried before it has to wait for the next decision. */
    private static final int TRIED = 8;
    /** How many are looked at to find them. */
    private static final int LOOKED_AT = 2000;

    private record Victim(Applicant applicant, long lossGpuMillis) {
        static final Comparator<Victim> CHEAPEST =
                Comparator.comparingLong(Victim::lossGpuMillis).thenComparingLong(v -> v.applicant.id());
    }

    private final QueueTree queues;
    private final Claims claims;
    private final View view;
    private final Draft draft;
    private final int mark;
    private long nextMillis = Plan.NEVER;
    private @Nullable List<Victim> borrowers;

    Reclaim(QueueTree queues, Claims claims, View view) {
        this.queues = queues;
        this.claims = claims;
        this.view = view;
        this.draft = view.draft();
        this.mark = draft.mark();
    }

    /** The first preemption that is due, or null. The draft is left as it was. */
    Action.@Nullable Preempt find() {
        for (Queue leaf : queues.leaves()) {
            Action.Preempt found = forQueue(leaf);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private Action.@Nullable Preempt forQueue(Queue leaf) {
        if (guaranteed(leaf, 1) == null) {
            return null;
        }
        int seen = 0;
        int tried = 0;
        for (Applicant applicant : leaf.waiting) {
            if (tried == TRIED || seen++ == LOOKED_AT) {
                break;
            }
            Queue guaranteed = guaranteed(leaf, applicant.minGpus());
            if (guaranteed != null && !claims.heldBack(applicant)) { // a smaller one behind a large one is owed as much
                tried++;
                Action.Preempt found = forJob(applicant, guaranteed);
                draft.rollback(mark);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    /** When somebody may be asked to leave who may not yet. */
    long nextMillis() {
        return nextMillis;
    }

    /** The lowest queue above a job whose guarantee has room for it, or null. */
    private static @Nullable Queue guaranteed(Queue leaf, int gpus) {
        for (Queue q = leaf; q != null; q = q.parent) {
            if (fits(q, gpus)) {
                return q;
            }
        }
        return null;
    }

    private static boolean fits(Queue queue, int gpus) {
        return queue.parent != null && queue.usage() + (long) gpus <= queue.guarantee;
    }

    /** Victims are below this queue: as far up as guarantees have room for the job. */
    private static Queue scope(Queue guaranteed, int gpus) {
        Queue q = guaranteed;
        while (q.parent != null && fits(q, gpus)) {
            q = q.parent;
        }
        return q;
    }

    private Action.@Nullable Preempt forJob(Applicant applicant, Queue guaranteed) {
        Queue scope = scope(guaranteed, applicant.minGpus());
        List<Victim> all = new ArrayList<>();
        for (Victim victim : borrowers()) {
            Queue leaf = victim.applicant.queue;
            if (scope.isAbove(leaf) && !guaranteed.isAbove(leaf)) {
                all.add(victim);
            }
        }
        for (int type : applicant.view.typesByPreference()) {
            Action.Preempt found = onType(applicant, type, all);
            if (found != null) {
                return found;
            }
            draft.rollback(mark);
        }
        return null;
    }

    /** Those who may be asked to leave, whoever asks, cheapest first; looked up once. */
    private List<Victim> borrowers() {
        List<Victim> found = borrowers;
        if (found == null) {
            found = new ArrayList<>();
            for (Applicant running : queues.running()) {
                Queue leaf = running.queue;
                if (leaf != null && leaf.staying() > leaf.guarantee && mayLeave(running.view)) {
                    found.add(new Victim(running, loss(running.view)));
                }
            }
            found.sort(Victim.CHEAPEST);
            borrowers = found;
        }
        return found;
    }

    private boolean mayLeave(JobView job) {
        boolean may =
                job.state() == JobState.RUNNING && job.preemptions() < job.job().maxPreemptions();
        if (may && job.settlesMillis() > view.nowMillis()) {
            nextMillis = Math.min(nextMillis, job.settlesMillis());
            return false;
        }
        return may;
    }

    /** GPU-time that pausing a job wastes: its pause, its reload, and what it must do again. */
    private long loss(JobView job) {
        long pause = Math.min(job.job().costs().pauseMillis(), job.job().graceMillis());
        long again = 0;
        if (job.job().costs().pauseMillis() > job.job().graceMillis()) {
            long ran = view.nowMillis() - job.runningMillis();
            again = job.job().checkpointMillis() > 0 ? ran % job.job().checkpointMillis() : ran;
        }
        return (pause + job.job().costs().reloadMillis() + again) * job.gpus();
    }

    private Action.@Nullable Preempt onType(Applicant applicant, int type, List<Victim> all) {
        List<Victim> chosen = new ArrayList<>();
        Allocation place = place(applicant, type);
        for (int i = 0; i < all.size() && place == null; i++) {
            Victim next = all.get(i);
            Allocation held = next.applicant.view.allocation();
            if (held != null && view.topology().typeOf(held.gpu(0)) == type && canSpare(chosen, next, applicant)) {
                draft.evict(next.applicant.view);
                chosen.add(next);
                place = place(applicant, type);
            }
        }
        if (place == null) {
            return null;
        }
        place = spare(applicant, type, chosen, place);
        List<Long> ids = chosen.stream().map(v -> v.applicant.id()).toList();
        for (Queue q = applicant.queue; q != null; q = q.parent) {
            if (q.usage() + (long) queues.added(q, place) > q.limit()) {
                return null;
            }
        }
        return new Action.Preempt(applicant.id(), place, ids, 0, 0);
    }

    /** Whether every queue that loses by this victim and the others keeps what it is guaranteed. */
    private static boolean canSpare(List<Victim> chosen, Victim next, Applicant beneficiary) {
        for (Queue q = next.applicant.queue; q != null && !q.isAbove(beneficiary.queue); q = q.parent) {
            int left = q.staying() - next.applicant.view.gpus();
            for (Victim other : chosen) {
                left -= q.isAbove(other.applicant.queue) ? other.applicant.view.gpus() : 0;
            }
            if (left < q.guarantee) {
                return false;
            }
        }
        return true;
    }

    /** Lets everybody stay whose leaving is of no use, those who would lose most first; answers the place that is left. */
    private Allocation spare(Applicant applicant, int type, List<Victim> chosen, Allocation found) {
        Allocation place = found;
        for (int i = chosen.size() - 1; i >= 0; i--) {
            Victim stays = chosen.remove(i);
            draft.rollback(mark);
            chosen.forEach(v -> draft.evict(v.applicant.view));
            Allocation without = place(applicant, type);
            if (without == null) {
                chosen.add(i, stays);
            } else {
                place = without;
            }
        }
        draft.rollback(mark);
        chosen.forEach(v -> draft.evict(v.applicant.view));
        return place;
    }

    private @Nullable Allocation place(Applicant applicant, int type) {
        Demand demand = applicant.view.job().demand();
        return FewestNodes.find(draft.space(), demand, type, demand.minGpus(), Horizon.SOON);
    }
}
