package dev.fermata.core.admission;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of every gate, updated from what changed: holds, dependencies, and how full arrays and queues are.
 */
final class AdmissionState {
    final AdmissionTable table = new AdmissionTable();
    final DependencyGate dependencyGate = new DependencyGate();
    final ArrayGate arrayGate = new ArrayGate();
    final ProfileGate profileGate = new ProfileGate();
    final UserLimitGate userLimits = new UserLimitGate();
    /** The queues, or null while no rule is set. */
    @Nullable
    QueueTree queues;

    private List<QueueRule> rules = List.of();
    private int gpusUp = -1;

    /** Whether a job can be kept back by anything but its queue. */
    static boolean hasGate(JobView job) {
        return job.onHold()
                || !job.job().dependencies().isEmpty()
                || job.job().array().maxRunning() > 0
                || !job.job().profileFirst().isNone();
    }

    /**
     * Applies what changed since the last round.
     *
     * @param first no job had a gate before: every live job is entered, as the policy has seen them all
     */
    void update(View view, boolean first) {
        List<JobView> changed = view.changedJobs();
        for (JobView job : changed) {
            if (job.state().isFinal()) {
                dependencyGate.noteEnded(job);
            }
        }
        List<AdmissionEntry> again = new ArrayList<>();
        boolean newRules = updateRules(view, again);
        for (JobView job : first ? view.liveJobs() : List.<JobView>of()) {
            updateEntry(add(job, true, view), again);
        }
        for (JobView job : changed) {
            if (job.state().isFinal()) {
                remove(job, again);
            } else {
                AdmissionEntry entry = add(job, false, view);
                updateEntry(entry, again);
                if (!entry.isPending()) {
                    table.show(entry);
                } else if (entry.visible) {
                    table.report(entry);
                }
            }
        }
        again.addAll(profileGate.entriesToReevaluate(
                view, () -> table.count(entry -> entry.isPending() && isAdmissibleBeforeProfiling(entry))));
        again.forEach(this::reevaluate);
        boolean anyChange = newRules || !again.isEmpty() || !changed.isEmpty() || gpusUp != view.gpusUp();
        if (queues != null && anyChange) {
            gpusUp = view.gpusUp();
            queues.recountReservations();
            queues.divideShares(gpusUp);
        }
    }

    private AdmissionEntry add(JobView job, boolean known, View view) {
        AdmissionEntry entry = table.get(job.id());
        if (entry == null) {
            entry = table.add(job, known);
            if (job.attempt() == 0) {
                dependencyGate.add(entry, view);
            }
        }
        return entry;
    }

    private void remove(JobView job, List<AdmissionEntry> again) {
        again.addAll(dependencyGate.release(job));
        AdmissionEntry entry = table.get(job.id());
        if (entry == null) {
            table.changes.add(job); // it came and ended before any gate was in use
            return;
        }
        updateArray(entry, false, again);
        profileGate.update(entry, false);
        userLimits.update(entry, false, again);
        if (queues != null) {
            queues.update(entry, null, false);
        }
        table.remove(entry);
    }

    /** Records where a job is; gates that may have moved by that are evaluated afterwards. */
    private void updateEntry(AdmissionEntry entry, List<AdmissionEntry> again) {
        boolean before = entry.occupiesGpus;
        updateArray(entry, true, again);
        profileGate.update(entry, true);
        userLimits.update(entry, true, again);
        entry.newlyServed = entry.occupiesGpus && !before;
        again.add(entry);
    }

    private void updateArray(AdmissionEntry entry, boolean live, List<AdmissionEntry> again) {
        JobArray before = entry.array;
        boolean occupies = live && (AdmissionTable.isOnGpus(entry.jobView) || entry.jobView.hasReservation());
        boolean moved = arrayGate.update(entry, live, occupies, live && entry.isPending());
        if (before.maxRunning() > 0 && moved) {
            again.addAll(arrayGate.pending(before));
        }
    }

    /** Puts a job where it belongs now: into its queue if all other gates are open. */
    private void reevaluate(AdmissionEntry entry) {
        if (table.get(entry.id()) != entry) {
            return;
        }
        boolean open = entry.isPending() && isAdmissible(entry);
        if (entry.isPending()) {
            entry.reclaimedFrom = List.of();
        }
        if (queues != null) {
            QueueNode leaf = queues.leaf(entry.jobView.job());
            queues.update(entry, leaf, open);
            leaf.recentlyChanged.add(entry);
            if (open && entry.visible) {
                leaf.visible.add(entry);
                leaf.largestVisible = Math.max(leaf.largestVisible, entry.minGpus());
                leaf.hasBlocked = true;
            }
            if (entry.newlyServed) {
                leaf.starvedSinceMillis = -1;
            }
        } else if (open && !entry.visible) {
            table.show(entry);
        }
        if (entry.isPending() && !open) {
            table.hide(entry);
        }
    }

    private boolean isAdmissible(AdmissionEntry entry) {
        return isAdmissibleBeforeProfiling(entry) && profileGate.isOpen(entry) && userLimits.isOpen(entry);
    }

    private boolean isAdmissibleBeforeProfiling(AdmissionEntry entry) {
        return !entry.jobView.onHold()
                && !entry.dependencyFailed
                && dependencyGate.unmet(entry) == null
                && arrayGate.isOpen(entry);
    }

    @SuppressWarnings("ReferenceEquality") // the cluster state keeps the list it was given
    private boolean updateRules(View view, List<AdmissionEntry> again) {
        if (view.queueRules() == rules) {
            return false;
        }
        rules = view.queueRules();
        userLimits.setRules(rules);
        table.all().forEach(entry -> userLimits.update(entry, true, new ArrayList<>()));
        if (rules.isEmpty()) {
            queues = null;
            table.all().forEach(entry -> {
                entry.queue = null;
                entry.queueEligible = false;
            });
            again.addAll(table.all());
            return true;
        }
        QueueTree tree = queues;
        if (tree == null) {
            tree = new QueueTree(view.topology().gpuCount());
            queues = tree;
        }
        tree.setRules(rules);
        again.addAll(table.all());
        return true;
    }
}
