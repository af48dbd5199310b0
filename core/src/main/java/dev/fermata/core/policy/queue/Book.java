package dev.fermata.core.policy.queue;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A policy's own notes: every live job with its rank, in the queue or among the running. It is brought up to date from
 * the view's list of changes and from ranks that fall due; a job nothing happened to costs nothing.
 */
public final class Book {
    /** What the book asks of a policy's order about each job. */
    public interface Ranking {
        Rank waiting(JobView job, View view);

        Rank running(JobView job, View view);

        /** Until when a running job may not be asked to leave; {@link Plan#NEVER} for always. */
        long protectedUntilMillis(JobView job, long nowMillis);

        /** Whether loading jobs count among the running; they do where only expected ends matter. */
        boolean ranksStarting();

        /** How long a waiting job would hold GPUs at most, for backfilling. */
        long longestRunMillis(JobView job, View view);

        /** A job ended; orders that learn from what they see take note. Answers whether every rank must be redone. */
        boolean ended(JobView job, View view);
    }

    private record Due(long atMillis, Entry entry, long stamp) {}

    private final Ranking ranking;
    private final Patience patience;
    private final boolean needsEstimates;
    private final Waiting waiting;
    private final Running running;
    private final List<@Nullable Entry> bySlot = new ArrayList<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.atMillis, b.atMillis);
        return byTime != 0 ? byTime : Long.compare(a.entry.job.id(), b.entry.job.id());
    });
    private long version;
    private long servedInARow;
    /** Whether somebody else has counted so far, who knows whether somebody waited. */
    private boolean countedBefore;

    private long estimateVersion;

    /** What a policy wants its book to keep beyond the ranks; see {@link Waiting} and {@link Running}. */
    public record Wants(boolean oneLine, boolean sharing, boolean runTimes, boolean victimsByNode) {}

    public Book(View view, Ranking ranking, Wants wants) {
        this(view, ranking, Patience.NONE, wants);
    }

    public Book(View view, Ranking ranking, Patience patience, Wants wants) {
        this.ranking = ranking;
        this.patience = patience;
        this.needsEstimates = wants.runTimes;
        this.waiting = new Waiting(wants.oneLine, wants.sharing);
        this.running = new Running(view.topology(), wants.victimsByNode);
    }

    public Waiting waiting() {
        return waiting;
    }

    public Running running() {
        return running;
    }

    /** Jobs that started since somebody last had to wait and nobody had before. */
    public long servedInARow() {
        return servedInARow;
    }

    /** Counts on from what another book has counted; before the first update. */
    public void goOnFrom(long served) {
        servedInARow = served;
        countedBefore = served > 0;
    }

    /** Grows whenever a job that did not fit might fit now: capacity appeared, or somebody lost his rank or protection. */
    public long version(View view) {
        return version + view.capacityVersion();
    }

    /** When the next rank, protection or patience ends; never while nobody waits for it. */
    public long nextDueMillis() {
        if (waiting.kinds().isEmpty()) {
            return Plan.NEVER;
        }
        for (Due next = due.peek(); next != null; next = due.peek()) {
            if (stale(next)) {
                due.remove();
            } else {
                return next.atMillis;
            }
        }
        return Plan.NEVER;
    }

    public @Nullable Entry entry(JobView job) {
        return job.slot() < bySlot.size() ? bySlot.get(job.slot()) : null;
    }

    /** Takes in what changed since the last decision and what fell due. */
    public void update(View view) {
        long estimates = view.estimateVersion(); // may grow at any time
        boolean redo = estimates != estimateVersion;
        estimateVersion = estimates;
        boolean otherPatience = patience.update(view);
        boolean nobodyWaited = waiting.kinds().isEmpty();
        for (JobView job : view.changed()) {
            servedInARow += startsSince(job);
            if (job.state().isFinal()) {
                redo |= ranking.ended(job, view);
            }
            place(job, view);
        }
        servedInARow = nobodyWaited && !countedBefore ? 0 : servedInARow;
        countedBefore = false;
        for (Due next = due.peek(); next != null && next.atMillis <= view.nowMillis(); next = due.peek()) {
            due.remove();
            if (!stale(next)) {
                if (next.entry.kind != null && next.entry.rank.rekeyAtMillis() <= view.nowMillis()) {
                    version++; // it ranks higher now and may get what it could not get before
                }
                place(next.entry.job, view);
            }
        }
        for (Entry late = running.overdue(view.nowMillis()); late != null; late = running.overdue(view.nowMillis())) {
            place(late.job, view);
        }
        version += redo ? 1 : 0;
        for (int slot = 0; (redo || otherPatience) && slot < bySlot.size(); slot++) {
            Entry entry = bySlot.get(slot);
            if (entry != null && (redo || entry.kind != null)) {
                place(entry.job, view);
            }
        }
    }

    /** By attempts, not by state: a job may have loaded, or even ended, before anybody looks. */
    private int startsSince(JobView job) {
        Entry entry = entry(job);
        if (entry == null) {
            return 0;
        }
        int starts = job.attempt() - entry.attempt;
        entry.attempt = job.attempt();
        return starts;
    }

    private static boolean stale(Due next) {
        return next.entry.stamp != next.stamp;
    }

    /** Puts a job back that was unlinked in this decision. */
    public void restore(Entry entry, View view) {
        place(entry.job, view);
    }

    private void place(JobView job, View view) {
        Entry entry = entry(job);
        if (entry != null) {
            unlink(entry);
            entry.stamp++; // whatever was due for the old rank no longer is
        }
        if (job.state().isFinal()) {
            if (entry != null) {
                bySlot.set(job.slot(), null);
            }
            return;
        }
        boolean runs = job.state() == JobState.RUNNING || (job.state() == JobState.STARTING && ranking.ranksStarting());
        boolean waits = job.state() == JobState.PENDING && !job.promised();
        if (!runs && !waits) {
            return; // loading or leaving: it competes with nobody
        }
        Rank rank = runs ? ranking.running(job, view) : ranking.waiting(job, view);
        if (entry == null) {
            entry = new Entry(job, rank);
            while (bySlot.size() <= job.slot()) {
                bySlot.add(null);
            }
            bySlot.set(job.slot(), entry);
        }
        entry.rank = rank;
        entry.weight = job.gpus();
        long dueAt = rank.rekeyAtMillis();
        if (waits) {
            entry.estimateMillis = needsEstimates ? ranking.longestRunMillis(job, view) : 0;
            waiting.add(entry, patience.accepts(job), patience.acceptsTypes(job));
            dueAt = Math.min(dueAt, patience.untilMillis(job));
        } else {
            dueAt = Math.min(dueAt, placeRunning(entry, view));
        }
        if (dueAt != Plan.NEVER) {
            // never in this very decision, which would not end
            due.add(new Due(Math.max(dueAt, view.nowMillis() + 1), entry, entry.stamp));
            if (due.size() > 4 * bySlot.size() + 64) {
                due.removeIf(Book::stale); // most were overtaken by events long before they fell due
            }
        }
    }

    /** Puts a job among those who may be asked to leave, unless it is protected; answers until when. */
    private long placeRunning(Entry entry, View view) {
        long until = ranking.protectedUntilMillis(entry.job, view.nowMillis());
        if (!ranking.ranksStarting()) { // else nobody is asked to leave, and only expected ends matter
            boolean spent = entry.job.preemptions() >= entry.job.job().maxPreemptions();
            until = spent ? Plan.NEVER : Math.max(until, entry.job.settlesMillis());
        }
        if (until > view.nowMillis()) {
            return until;
        }
        running.add(entry);
        if (waiting.anyBefore(entry, view.nowMillis())) {
            version++; // from now on it may be asked to leave
        }
        return Plan.NEVER;
    }

    /** Takes a job out of its queue for the rest of this decision; the next update puts it where it then belongs. */
    public void unlink(Entry entry) {
        if (entry.kind != null) {
            waiting.remove(entry);
        } else if (entry.tree != null) {
            running.remove(entry);
        }
    }
}
