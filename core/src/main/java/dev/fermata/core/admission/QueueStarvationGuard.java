package dev.fermata.core.admission;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Protects starving queues: no other job starts on GPUs that a protected queue may use. A queue starves when it is
 * below its share, or has nothing, and could start no job for ten minutes. The usual cause is a gang that needs more
 * GPUs than ever become free at once.
 *
 * <p>No other queue starves for it: the protection lasts no longer than the wait before. If it did not help, no queue is
 * protected for as long as it lasted. The queue then waits twice as long for its next protection, which may last twice as
 * long: in the end longer than any job runs. While too few GPUs are schedulable for its jobs, nothing is kept for it.
 */
final class QueueStarvationGuard {
    static final long PATIENCE_MILLIS = 600_000;
    private static final int MAX_EXAMINED = 16;

    private final boolean mixedGangs;
    private @Nullable QueueNode protectedQueue;
    private long protectedSinceMillis;
    private long protectedTypes;
    private long cooldownUntilMillis = Long.MIN_VALUE;
    private long nextMillis = Plan.NEVER;
    private long changes;

    /** @param mixedGangs whether a gang may get GPUs of several types */
    QueueStarvationGuard(boolean mixedGangs) {
        this.mixedGangs = mixedGangs;
    }

    /** Finds the queue to protect, if any. */
    void update(List<QueueNode> leaves, View view) {
        long now = view.nowMillis();
        QueueNode current = protectedQueue;
        if (current != null && (current.starvedSinceMillis < 0 || !isStarving(current))) {
            protectedQueue = null; // it started a job, or has none waiting
        } else if (current != null && now >= protectionEndsMillis(current)) {
            giveUp(now);
        }
        nextMillis = Plan.NEVER;
        QueueNode longest = null;
        for (int i = 0; i < leaves.size(); i++) {
            QueueNode leaf = leaves.get(i);
            updateStarvation(leaf, now);
            if (leaf.starvedSinceMillis >= 0) {
                long due = Math.max(leaf.starvedSinceMillis + leaf.patienceMillis, cooldownUntilMillis);
                if (due > now) {
                    nextMillis = Math.min(nextMillis, due);
                } else if ((longest == null || leaf.starvedSinceMillis < longest.starvedSinceMillis)
                        && usableTypes(leaf, view) != 0) {
                    longest = leaf;
                }
            }
        }
        if (protectedQueue == null && longest != null) {
            protectedQueue = longest;
            protectedSinceMillis = now;
        }
        protectTypes(protectedQueue == null ? 0 : usableTypes(protectedQueue, view));
        if (protectedQueue != null) {
            nextMillis = Math.min(nextMillis, protectionEndsMillis(protectedQueue));
        }
    }

    private static void updateStarvation(QueueNode leaf, long now) {
        if (!isStarving(leaf)) {
            leaf.starvedSinceMillis = -1;
        } else if (leaf.starvedSinceMillis < 0) {
            leaf.starvedSinceMillis = now;
            leaf.patienceMillis = PATIENCE_MILLIS;
        }
    }

    private static boolean isStarving(QueueNode leaf) {
        if (leaf.waiting.isEmpty() || (leaf.shareHeadroom() <= 0 && leaf.usage() > 0)) {
            return false;
        }
        int room = leaf.limitHeadroom();
        int seen = 0;
        for (AdmissionEntry entry : leaf.waiting) {
            if (entry.minGpus() <= room) {
                return true;
            }
            if (++seen == MAX_EXAMINED) {
                break;
            }
        }
        return false;
    }

    /** GPU types that could serve one of its jobs if no other job used them, as a bit mask. */
    private long usableTypes(QueueNode leaf, View view) {
        long types = 0;
        int room = leaf.limitHeadroom();
        int seen = 0;
        for (AdmissionEntry entry : leaf.waiting) {
            types |= entry.minGpus() <= room ? usableTypes(entry, view) : 0;
            if (++seen == MAX_EXAMINED) {
                break;
            }
        }
        return types;
    }

    private long usableTypes(AdmissionEntry entry, View view) {
        long eligible = entry.jobView.eligibleTypes();
        long enough = 0;
        int all = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            if (((eligible >>> type) & 1) != 0) {
                int schedulable = view.schedulableGpus(type);
                all += schedulable;
                enough |= schedulable >= entry.minGpus() ? 1L << type : 0;
            }
        }
        boolean mixed = mixedGangs && entry.jobView.job().demand().splitsBatch();
        return mixed && all >= entry.minGpus() ? eligible : enough;
    }

    private void protectTypes(long types) {
        changes += types == protectedTypes ? 0 : 1;
        protectedTypes = types;
    }

    private long protectionEndsMillis(QueueNode queue) {
        return protectedSinceMillis + queue.patienceMillis;
    }

    /** Whether GPUs are kept for a queue now. */
    boolean isActive() {
        return protectedTypes != 0;
    }

    boolean isProtected(QueueNode leaf) {
        return isActive() && protectedQueue == leaf;
    }

    /** Whether a queue may have more at the cost of others: it has not used up its share, or it is protected. */
    boolean isEntitled(QueueNode leaf) {
        return leaf.shareHeadroom() > 0 || isProtected(leaf);
    }

    /** Whether a job must not start now because another queue is protected. */
    boolean isHeldBack(AdmissionEntry entry) {
        return entry.queue != protectedQueue && (entry.jobView.eligibleTypes() & protectedTypes) != 0;
    }

    /** Until when a protection holds others back at most; -1 while it does not. */
    long heldBackUntilMillis() {
        return protectedQueue == null || !isActive() ? -1 : protectionEndsMillis(protectedQueue);
    }

    /** Whether all is free that could serve the protected queue: if it was not served now, it will not be. */
    boolean cannotBeServed(View view) {
        boolean all = isActive();
        for (int type = 0; all && type < view.topology().types().size(); type++) {
            all = ((protectedTypes >>> type) & 1) == 0
                    || view.capacity().available(type, Horizon.NOW) == view.schedulableGpus(type);
        }
        return all;
    }

    /** The protection ends without a start: others go on meanwhile. */
    void giveUp(long now) {
        QueueNode unserved = protectedQueue;
        if (unserved != null) {
            cooldownUntilMillis = now + (now - protectedSinceMillis);
            unserved.patienceMillis = Math.min(2 * unserved.patienceMillis, Plan.NEVER / 4);
            unserved.starvedSinceMillis = now;
            nextMillis = Math.min(nextMillis, now + unserved.patienceMillis);
            protectedQueue = null;
            protectTypes(0);
        }
    }

    /** Counts how often it changed what is kept. */
    long changes() {
        return changes;
    }

    /** When the next protection begins or ends. */
    long nextMillis() {
        return nextMillis;
    }
}
