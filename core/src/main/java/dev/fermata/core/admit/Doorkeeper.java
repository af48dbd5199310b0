package dev.fermata.core.admit;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.View;
import java.util.List;

/**
 * Decides who of the jobs in line the policy may see. In the first pass of a step those of queues that are below their shares;
 * when the policy finds nothing more to do for them, in the second pass a few of every other queue: they may use what is still
 * idle, or take the place of jobs of their own queue.
 */
final class Doorkeeper {
    /** Most jobs of one queue that are shown; with fewer in line, the policy alone decides who of them goes first. */
    static final int MOST_SHOWN = 1000;
    /** Most jobs that are shown of a queue that has used up its share. */
    private static final int FEW = 16;

    private final Roll roll;
    private final Claims claims;

    Doorkeeper(Roll roll, Claims claims) {
        this.roll = roll;
        this.claims = claims;
    }

    void firstPass(List<Queue> leaves, View view) {
        for (Queue leaf : leaves) {
            boolean open = claims.isFirst(leaf) || leaf.shareRoom() > 0;
            int room = open ? leaf.limitRoom() : 0;
            if (!leaf.shown.isEmpty()) {
                hideOver(leaf, room, view);
            }
            if (room > 0) {
                show(leaf, leaf.waiting, MOST_SHOWN, room, view);
            }
        }
    }

    /** Shows some of those who have no claim; answers whether there are any. */
    boolean secondPass(List<Queue> leaves, View view) {
        if (claims.urgent()) {
            return false;
        }
        boolean idle = idle(view);
        boolean any = false;
        for (Queue leaf : leaves) {
            hideOver(leaf, Integer.MAX_VALUE, view);
            int before = leaf.shown.size();
            if (idle) {
                show(leaf, leaf.waiting, FEW, Integer.MAX_VALUE, view);
            }
            if (!leaf.fresh.isEmpty()) {
                show(leaf, List.copyOf(leaf.fresh), MOST_SHOWN, Integer.MAX_VALUE, view);
            }
            any |= leaf.shown.size() > before;
        }
        return any;
    }

    private static boolean idle(View view) {
        for (int type = 0; type < view.topology().types().size(); type++) {
            if (view.space().available(type, Horizon.NOW) > 0) {
                return true;
            }
        }
        return false;
    }

    private void hideOver(Queue leaf, int room, View view) {
        leaf.shown.removeIf(applicant -> {
            boolean hide = applicant.minGpus() > room || heldBack(applicant, view);
            if (hide) {
                roll.hide(applicant);
            }
            return hide;
        });
    }

    private void show(Queue leaf, Iterable<Applicant> candidates, int most, int room, View view) {
        if (leaf.shown.size() == leaf.waiting.size()) {
            return;
        }
        int left = most;
        for (Applicant applicant : candidates) {
            if (left-- == 0) {
                return;
            }
            if (applicant.waits
                    && applicant.minGpus() <= room
                    && !heldBack(applicant, view)
                    && leaf.shown.add(applicant)) {
                roll.show(applicant);
            }
        }
    }

    private boolean heldBack(Applicant applicant, View view) {
        return applicant.barredVersion == view.capacityVersion() || claims.heldBack(applicant);
    }
}
