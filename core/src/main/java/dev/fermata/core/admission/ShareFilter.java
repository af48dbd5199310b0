package dev.fermata.core.admission;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.View;
import java.util.List;

/**
 * Decides which queued jobs the policy sees. In the first pass of a cycle those of queues below their shares;
 * when the policy finds nothing more to do for them, in the second pass a few of every other queue: they may use what is still
 * idle, or take the place of jobs of their own queue.
 */
final class ShareFilter {
    /** About as many jobs are shown in all; with fewer queued, the policy alone decides which of a queue goes first. */
    private static final int MAX_VISIBLE = 2000;
    /** As many of one queue are shown in any case. */
    private static final int MIN_VISIBLE_PER_QUEUE = 32;
    /** Most jobs that are shown of a queue that has used up its share. */
    private static final int MAX_VISIBLE_OVER_SHARE = 16;

    private final AdmissionTable table;
    private final QueueStarvationGuard starvationGuard;

    ShareFilter(AdmissionTable table, QueueStarvationGuard starvationGuard) {
        this.table = table;
        this.starvationGuard = starvationGuard;
    }

    void firstPass(List<QueueNode> leaves, View view) {
        int max = Math.max(MIN_VISIBLE_PER_QUEUE, MAX_VISIBLE / Math.max(1, leaves.size()));
        for (QueueNode leaf : leaves) {
            boolean open = starvationGuard.isProtected(leaf) || leaf.shareHeadroom() > 0;
            int room = open ? leaf.limitHeadroom() : 0;
            if (!leaf.visible.isEmpty()) {
                hideLargerThan(leaf, room, view);
            }
            if (room > 0) {
                show(leaf, leaf.waiting, max, room, view);
            }
        }
    }

    /**
     * Shows some of the jobs without a claim.
     *
     * @param appeared whether there may be room now that was not there when they were last shown
     */
    void secondPass(List<QueueNode> leaves, boolean appeared, View view) {
        int idle = appeared ? maxIdleGpus(view) : 0;
        for (QueueNode leaf : leaves) {
            hideLargerThan(leaf, Integer.MAX_VALUE, view);
            if (idle > 0) {
                show(leaf, leaf.waiting, MAX_VISIBLE_OVER_SHARE, Math.min(idle, leaf.limitHeadroom()), view);
            }
            if (!leaf.recentlyChanged.isEmpty()) {
                show(leaf, List.copyOf(leaf.recentlyChanged), MAX_VISIBLE, leaf.exchangeHeadroom(), view);
            }
        }
    }

    /** Free GPUs of the type that has most. */
    private static int maxIdleGpus(View view) {
        int max = 0;
        for (int type = 0; type < view.topology().types().size(); type++) {
            max = Math.max(max, view.capacity().available(type, Horizon.NOW));
        }
        return max;
    }

    /** Hides jobs that need more than this room or are held back; examines all only if one may be concerned. */
    private void hideLargerThan(QueueNode leaf, int room, View view) {
        if (room >= leaf.largestVisible && !leaf.hasBlocked && !starvationGuard.isActive()) {
            return;
        }
        leaf.hasBlocked = false;
        leaf.largestVisible = 0;
        leaf.visible.removeIf(entry -> {
            boolean hide = entry.minGpus() > room || isHeldBack(entry, view);
            if (hide) {
                table.hide(entry);
            } else {
                leaf.largestVisible = Math.max(leaf.largestVisible, entry.minGpus());
            }
            return hide;
        });
    }

    private void show(QueueNode leaf, Iterable<AdmissionEntry> candidates, int max, int room, View view) {
        if (leaf.visible.size() == leaf.waiting.size() || leaf.visible.size() >= max) {
            return;
        }
        int remainingLooks = MAX_VISIBLE;
        for (AdmissionEntry entry : candidates) {
            if (leaf.visible.size() >= max || remainingLooks-- == 0) {
                return;
            }
            if (entry.queueEligible && entry.minGpus() <= room && !isHeldBack(entry, view) && leaf.visible.add(entry)) {
                leaf.largestVisible = Math.max(leaf.largestVisible, entry.minGpus());
                table.show(entry);
            }
        }
    }

    private boolean isHeldBack(AdmissionEntry entry, View view) {
        QueueNode leaf = entry.queue;
        return entry.blockedVersion == view.capacityVersion()
                || starvationGuard.isHeldBack(entry)
                || (leaf != null && leaf.isBlocked(entry.minGpus(), view) && !leaf.recentlyChanged.contains(entry));
    }
}
