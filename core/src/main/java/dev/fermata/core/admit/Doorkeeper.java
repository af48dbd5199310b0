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
    /** About as many jobs are shown in all; with fewer in line, the policy alone decides who of a queue goes first. */
    private static final int MOST_SHOWN = 2000;
    /** As many of one queue are shown in any case. */
    private static final int LEAST_SHOWN = 32;
    /** Most jobs that are shown of a queue that has used up its share. */
    private static final int FEW = 16;

    private final Roll roll;
    private final Claims claims;

    Doorkeeper(Roll roll, Claims claims) {
        this.roll = roll;
        this.claims = claims;
    }

    void firstPass(List<Queue> leaves, View view) {
        int most = Math.max(LEAST_SHOWN, MOST_SHOWN / Math.max(1, leaves.size()));
        for (Queue leaf : leaves) {
            boolean open = claims.isFirst(leaf) || leaf.shareRoom() > 0;
            int room = open ? leaf.limitRoom() : 0;
            if (!leaf.shown.isEmpty()) {
                hideOver(leaf, room, view);
            }
            if (room > 0) {
                show(leaf, leaf.waiting, most, room, view);
            }
        }
    }

    /**
     * Shows some of those who have no claim.
     *
     * @param appeared whether there may be room now that was not there when they were last shown
     */
    void secondPass(List<Queue> leaves, boolean appeared, View view) {
        int idle = appeared ? idle(view) : 0;
        for (Queue leaf : leaves) {
            hideOver(leaf, Integer.MAX_VALUE, view);
            if (idle > 0) {
                show(leaf, leaf.waiting, FEW, Math.min(idle, leaf.limitRoom()), view);
            }
            if (!leaf.fresh.isEmpty()) {
                show(leaf, List.copyOf(leaf.fresh), MOST_SHOWN, leaf.exchangeRoom(), view);
            }
        }
    }

    /** Free GPUs of the type that has most. */
    private static int idle(View view) {
        int most = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            most = Math.max(most, view.space().available(type, Horizon.NOW));
        }
        return most;
    }

    /** Hides who needs more than this room, and who is held back; a look at everybody only if somebody may be concerned. */
    private void hideOver(Queue leaf, int room, View view) {
        if (room >= leaf.largestShown && !leaf.barred && !claims.urgent()) {
            return;
        }
        leaf.barred = false;
        leaf.largestShown = 0;
        leaf.shown.removeIf(applicant -> {
            boolean hide = applicant.minGpus() > room || heldBack(applicant, view);
            if (hide) {
                roll.hide(applicant);
            } else {
                leaf.largestShown = Math.max(leaf.largestShown, applicant.minGpus());
            }
            return hide;
        });
    }

    private void show(Queue leaf, Iterable<Applicant> candidates, int most, int room, View view) {
        if (leaf.shown.size() == leaf.waiting.size() || leaf.shown.size() >= most) {
            return;
        }
        int looks = MOST_SHOWN;
        for (Applicant applicant : candidates) {
            if (leaf.shown.size() >= most || looks-- == 0) {
                return;
            }
            if (applicant.waits
                    && applicant.minGpus() <= room
                    && !heldBack(applicant, view)
                    && leaf.shown.add(applicant)) {
                leaf.largestShown = Math.max(leaf.largestShown, applicant.minGpus());
                roll.show(applicant);
            }
        }
    }

    private boolean heldBack(Applicant applicant, View view) {
        Queue leaf = applicant.queue;
        return applicant.barredVersion == view.capacityVersion()
                || claims.heldBack(applicant)
                || (leaf != null && leaf.isBarred(applicant.minGpus(), view) && !leaf.fresh.contains(applicant));
    }
}
