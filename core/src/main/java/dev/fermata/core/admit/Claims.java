package dev.fermata.core.admit;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nobody starves: a queue that is below its share, or has nothing at all, and for ten minutes could start none of its jobs (a
 * gang waits for more GPUs than ever come free at once) gets a turn, in which nobody else starts on what it may use.
 *
 * <p>Nor is anybody starved for it: a turn lasts no longer than was waited for it. If it was in vain, nobody gets a turn for as
 * long as it lasted, and the queue waits twice as long for its next one, which may last twice as long: in the end longer than
 * any job runs. While too few GPUs are healthy for its jobs, nothing is kept for it.
 */
final class Claims {
    static final long PATIENCE_MILLIS = 600_000;
    private static final int LOOKED_AT = 16;

    private final boolean mixedGangs;
    private @Nullable Queue turn;
    private long turnSinceMillis;
    private long keptTypes;
    private long noTurnBeforeMillis = Long.MIN_VALUE;
    private long nextMillis = Plan.NEVER;
    private long changes;

    /** @param mixedGangs whether a gang may get GPUs of several types */
    Claims(boolean mixedGangs) {
        this.mixedGangs = mixedGangs;
    }

    /** Finds whose turn it is, if it is anybody's. */
    void update(List<Queue> leaves, View view) {
        long now = view.nowMillis();
        Queue current = turn;
        if (current != null && (current.claimSinceMillis < 0 || !claims(current))) {
            turn = null; // it started a job, or wants none any more
        } else if (current != null && now >= turnEndsMillis(current)) {
            inVain(now);
        }
        nextMillis = Plan.NEVER;
        Queue longest = null;
        for (int i = 0; i < leaves.size(); i++) {
            Queue leaf = leaves.get(i);
            note(leaf, now);
            if (leaf.claimSinceMillis >= 0) {
                long due = Math.max(leaf.claimSinceMillis + leaf.patienceMillis, noTurnBeforeMillis);
                if (due > now) {
                    nextMillis = Math.min(nextMillis, due);
                } else if ((longest == null || leaf.claimSinceMillis < longest.claimSinceMillis)
                        && usableTypes(leaf, view) != 0) {
                    longest = leaf;
                }
            }
        }
        if (turn == null && longest != null) {
            turn = longest;
            turnSinceMillis = now;
        }
        keep(turn == null ? 0 : usableTypes(turn, view));
        if (turn != null) {
            nextMillis = Math.min(nextMillis, turnEndsMillis(turn));
        }
    }

    private static void note(Queue leaf, long now) {
        if (!claims(leaf)) {
            leaf.claimSinceMillis = -1;
        } else if (leaf.claimSinceMillis < 0) {
            leaf.claimSinceMillis = now;
            leaf.patienceMillis = PATIENCE_MILLIS;
        }
    }

    private static boolean claims(Queue leaf) {
        if (leaf.waiting.isEmpty() || (leaf.shareRoom() <= 0 && leaf.usage() > 0)) {
            return false;
        }
        int room = leaf.limitRoom();
        int seen = 0;
        for (Applicant applicant : leaf.waiting) {
            if (applicant.minGpus() <= room) {
                return true;
            }
            if (++seen == LOOKED_AT) {
                break;
            }
        }
        return false;
    }

    /** GPU types that could serve one of its jobs if nobody else used them, as a bit mask. */
    private long usableTypes(Queue leaf, View view) {
        long types = 0;
        int room = leaf.limitRoom();
        int seen = 0;
        for (Applicant applicant : leaf.waiting) {
            types |= applicant.minGpus() <= room ? usableTypes(applicant, view) : 0;
            if (++seen == LOOKED_AT) {
                break;
            }
        }
        return types;
    }

    private long usableTypes(Applicant applicant, View view) {
        long eligible = applicant.view.eligibleTypes();
        long enough = 0;
        int all = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            if (((eligible >>> type) & 1) != 0) {
                int up = view.gpusUp(type);
                all += up;
                enough |= up >= applicant.minGpus() ? 1L << type : 0;
            }
        }
        return mixedGangs && all >= applicant.minGpus() ? eligible : enough;
    }

    private void keep(long types) {
        changes += types == keptTypes ? 0 : 1;
        keptTypes = types;
    }

    private long turnEndsMillis(Queue queue) {
        return turnSinceMillis + queue.patienceMillis;
    }

    /** Whether anything is kept for anybody now. */
    boolean urgent() {
        return keptTypes != 0;
    }

    boolean isFirst(Queue leaf) {
        return urgent() && turn == leaf;
    }

    /** Whether a queue may have more at the cost of others: it has not used up its share, or it is its turn. */
    boolean entitles(Queue leaf) {
        return leaf.shareRoom() > 0 || isFirst(leaf);
    }

    /** Whether a job must not start now for the sake of the queue whose turn it is. */
    boolean heldBack(Applicant applicant) {
        return applicant.queue != turn && (applicant.view.eligibleTypes() & keptTypes) != 0;
    }

    /** Until when a turn holds others back at most; -1 while it does not. */
    long heldBackUntilMillis() {
        return turn == null || !urgent() ? -1 : turnEndsMillis(turn);
    }

    /** Whether all is free that could serve the queue whose turn it is: if it was not served now, it will not be. */
    boolean hopeless(View view) {
        boolean all = urgent();
        for (int type = 0; all && type < view.topology().types().size(); type++) {
            all = ((keptTypes >>> type) & 1) == 0 || view.space().available(type, Horizon.NOW) == view.gpusUp(type);
        }
        return all;
    }

    /** The turn is over and nobody was served: others go on meanwhile. */
    void inVain(long now) {
        Queue unserved = turn;
        if (unserved != null) {
            noTurnBeforeMillis = now + (now - turnSinceMillis);
            unserved.patienceMillis = Math.min(2 * unserved.patienceMillis, Plan.NEVER / 4);
            unserved.claimSinceMillis = now;
            nextMillis = Math.min(nextMillis, now + unserved.patienceMillis);
            turn = null;
            keep(0);
        }
    }

    /** Counts how often it changed what is kept. */
    long changes() {
        return changes;
    }

    /** When the next turn begins or ends. */
    long nextMillis() {
        return nextMillis;
    }
}
