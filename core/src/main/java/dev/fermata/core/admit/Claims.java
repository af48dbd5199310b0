package dev.fermata.core.admit;

import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.View;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nobody starves: a queue that is below its share, or has nothing at all, and for a while could start none of its jobs (a gang
 * waits for more GPUs than ever come free at once) is served before everybody else, who start nothing on what it may use until
 * it could. If even an empty cluster does not serve it, it has to wait twice as long for its next turn.
 */
final class Claims {
    static final long PATIENCE_MILLIS = 600_000;
    private static final int LOOKED_AT = 16;

    private @Nullable Queue first;
    private long firstTypes;
    private long nextMillis = Plan.NEVER;

    /** Finds who goes before everybody else, if somebody does. */
    void update(List<Queue> leaves, View view) {
        Queue longest = null;
        nextMillis = Plan.NEVER;
        for (Queue leaf : leaves) {
            if (!claims(leaf)) {
                leaf.claimSinceMillis = -1;
                leaf.patienceMillis = PATIENCE_MILLIS;
            } else if (leaf.claimSinceMillis < 0) {
                leaf.claimSinceMillis = view.nowMillis();
                leaf.patienceMillis = Math.max(PATIENCE_MILLIS, leaf.patienceMillis);
            }
            if (leaf.claimSinceMillis >= 0) {
                long due = leaf.claimSinceMillis + leaf.patienceMillis;
                if (due > view.nowMillis()) {
                    nextMillis = Math.min(nextMillis, due);
                } else if (longest == null || leaf.claimSinceMillis < longest.claimSinceMillis) {
                    longest = leaf;
                }
            }
        }
        first = longest;
        firstTypes = longest == null ? 0 : typesOf(longest);
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

    private static long typesOf(Queue leaf) {
        long types = 0;
        int seen = 0;
        for (Applicant applicant : leaf.waiting) {
            types |= applicant.view.eligibleTypes();
            if (++seen == LOOKED_AT) {
                break;
            }
        }
        return types;
    }

    /** Whether somebody goes before everybody else now. */
    boolean urgent() {
        return first != null;
    }

    boolean isFirst(Queue leaf) {
        return first == leaf;
    }

    /** Whether a job must not start now for the sake of the queue that goes first. */
    boolean heldBack(Applicant applicant) {
        return first != null && applicant.queue != first && (applicant.view.eligibleTypes() & firstTypes) != 0;
    }

    /** Everything is free and the first was still not served: others go on meanwhile. */
    void inVain(View view) {
        Queue served = first;
        if (served != null) {
            served.patienceMillis = Math.min(2 * served.patienceMillis, Plan.NEVER / 4);
            served.claimSinceMillis = view.nowMillis();
            nextMillis = Math.min(nextMillis, served.claimSinceMillis + served.patienceMillis);
            first = null;
        }
    }

    /** When the next queue loses its patience. */
    long nextMillis() {
        return nextMillis;
    }
}
