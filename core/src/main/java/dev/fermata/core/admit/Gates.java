package dev.fermata.core.admit;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of every gate, brought up to date from what changed: who is on hold, who waits for whose end, how full arrays and
 * queues are.
 */
final class Gates {
    final Roll roll = new Roll();
    final Dependencies dependencies = new Dependencies();
    final Bundles bundles = new Bundles();
    final Trials trials = new Trials();
    /** The queues, or null while no rule is set. */
    @Nullable
    QueueTree queues;

    private List<QueueRule> rules = List.of();
    private int gpusUp = -1;

    /** Whether a job can be kept back by anything but its queue. */
    static boolean carriesGate(JobView job) {
        return job.onHold()
                || !job.job().after().isEmpty()
                || job.job().bundle().atMost() > 0
                || !job.job().trial().isNone();
    }

    /**
     * Takes in what changed since the last round.
     *
     * @param first nothing was gated before: everybody who lives is entered, as the policy has been told of them all
     */
    void update(View view, boolean first) {
        List<JobView> changed = view.changed();
        for (JobView job : changed) {
            if (job.state().isFinal()) {
                dependencies.ended(job);
            }
        }
        List<Applicant> again = new ArrayList<>();
        for (JobView job : first ? view.live() : List.<JobView>of()) {
            note(enter(job, true, view), again);
        }
        for (JobView job : changed) {
            if (job.state().isFinal()) {
                leave(job, again);
            } else {
                Applicant applicant = enter(job, false, view);
                note(applicant, again);
                if (!applicant.pending()) {
                    roll.show(applicant);
                } else if (applicant.known) {
                    roll.tell(applicant);
                }
            }
        }
        again.addAll(
                trials.moved(view, () -> roll.count(applicant -> applicant.pending() && passesButTrials(applicant))));
        again.forEach(this::judge);
        boolean news = changeRules(view) || !again.isEmpty() || !changed.isEmpty() || gpusUp != view.gpusUp();
        if (queues != null && news) {
            gpusUp = view.gpusUp();
            queues.countPromises();
            queues.divide(gpusUp);
        }
    }

    private Applicant enter(JobView job, boolean known, View view) {
        Applicant applicant = roll.get(job.id());
        if (applicant == null) {
            applicant = roll.enter(job, known);
            if (job.attempt() == 0) {
                dependencies.enter(applicant, view);
            }
        }
        return applicant;
    }

    private void leave(JobView job, List<Applicant> again) {
        again.addAll(dependencies.release(job));
        Applicant applicant = roll.get(job.id());
        if (applicant == null) {
            roll.news.add(job); // it came and went before anything was gated
            return;
        }
        noteBundle(applicant, false, again);
        trials.note(applicant, false);
        if (queues != null) {
            queues.note(applicant, null, false);
        }
        roll.leave(applicant);
    }

    /** Takes in where a job is; whose gate may have moved by that is judged afterwards. */
    private void note(Applicant applicant, List<Applicant> again) {
        boolean before = applicant.occupies;
        noteBundle(applicant, true, again);
        trials.note(applicant, true);
        applicant.served = applicant.occupies && !before;
        again.add(applicant);
    }

    private void noteBundle(Applicant applicant, boolean lives, List<Applicant> again) {
        Bundle before = applicant.bundle;
        boolean occupies = lives && (Roll.runs(applicant.view) || applicant.view.promised());
        boolean moved = bundles.note(applicant, lives, occupies, lives && applicant.pending());
        if (before.atMost() > 0 && moved) {
            again.addAll(bundles.pending(before));
        }
    }

    /** Puts a job where it belongs now: in line if all gates but those of its queue are open. */
    private void judge(Applicant applicant) {
        if (roll.get(applicant.id()) != applicant) {
            return;
        }
        boolean open = applicant.pending() && passes(applicant);
        if (applicant.pending()) {
            applicant.displaced = List.of();
        }
        if (queues != null) {
            Queue leaf = queues.leaf(applicant.view.job().queue());
            queues.note(applicant, leaf, open);
            leaf.fresh.add(applicant);
            if (open && applicant.known) {
                leaf.shown.add(applicant);
                leaf.largestShown = Math.max(leaf.largestShown, applicant.minGpus());
                leaf.barred = true;
            }
            if (applicant.served) {
                leaf.claimSinceMillis = -1;
            }
        } else if (open && !applicant.known) {
            roll.show(applicant);
        }
        if (applicant.pending() && !open) {
            roll.hide(applicant);
        }
    }

    private boolean passes(Applicant applicant) {
        return passesButTrials(applicant) && trials.open(applicant);
    }

    private boolean passesButTrials(Applicant applicant) {
        return !applicant.view.onHold()
                && !applicant.doomed
                && dependencies.unmet(applicant) == null
                && bundles.open(applicant);
    }

    @SuppressWarnings("ReferenceEquality") // the ledger keeps the list it was given
    private boolean changeRules(View view) {
        if (view.queueRules() == rules) {
            return false;
        }
        rules = view.queueRules();
        if (rules.isEmpty()) {
            queues = null;
            roll.all().forEach(applicant -> {
                applicant.queue = null;
                applicant.waits = false;
                judge(applicant);
            });
            return true;
        }
        QueueTree tree = queues;
        boolean first = tree == null;
        if (tree == null) {
            tree = new QueueTree(view.topology().gpuCount());
            queues = tree;
        }
        tree.rules(rules);
        if (first) {
            roll.all().forEach(this::judge);
        }
        return true;
    }
}
