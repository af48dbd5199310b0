package dev.fermata.core.admission;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Limits of GPUs that a queue sets for each of its users, and for all of its trials together. GPUs that a job leaves and GPUs that
 * it has reserved both count, so a limit is never exceeded meanwhile.
 */
final class UserLimitGate {
    /** The GPUs of one user, or of the trials, in one queue and those below. */
    private static final class Budget {
        final int limit;
        int held;
        int planned;
        final TreeSet<AdmissionEntry> pending =
                new TreeSet<>(Comparator.comparingInt(AdmissionEntry::minGpus).thenComparingLong(AdmissionEntry::id));

        Budget(int limit) {
            this.limit = limit;
        }

        int room() {
            return limit - held - planned;
        }
    }

    private record Usage(List<Budget> budgets, int held) {}

    private List<QueueRule> rules = List.of();
    private final Map<String, Budget> budgets = new HashMap<>();
    private final Map<Long, Usage> usages = new HashMap<>();
    private final List<Budget> withPlans = new ArrayList<>();

    /** From now on these rules hold; every entry must be updated. */
    void setRules(List<QueueRule> now) {
        rules = now.stream().filter(UserLimitGate::limits).toList();
        budgets.clear();
        usages.clear();
        withPlans.clear();
    }

    private static boolean limits(QueueRule rule) {
        return rule.terms().perUser().gpus() != QueueTerms.NO_LIMIT
                || rule.terms().trials().totalGpus() != QueueTerms.NO_LIMIT;
    }

    /** Records what a job holds now; adds the pending jobs whose gate may have moved by that. */
    void update(AdmissionEntry entry, boolean live, List<AdmissionEntry> again) {
        if (rules.isEmpty()) {
            return;
        }
        Usage before = usages.remove(entry.id());
        if (before != null) {
            for (Budget budget : before.budgets) {
                budget.pending.remove(entry);
                change(budget, -before.held, again);
            }
        }
        List<Budget> mine = live ? budgetsOf(entry) : List.of();
        if (!mine.isEmpty()) {
            int held = heldGpus(entry);
            usages.put(entry.id(), new Usage(mine, held));
            for (Budget budget : mine) {
                change(budget, held, again);
                if (entry.isPending()) {
                    budget.pending.add(entry);
                }
            }
        }
    }

    private static int heldGpus(AdmissionEntry entry) {
        if (AdmissionTable.isOnGpus(entry.jobView)) {
            return entry.jobView.gpus() + entry.jobView.reservedGpus();
        }
        return entry.jobView.hasReservation() ? entry.jobView.reservedGpus() : 0;
    }

    /** Adds the pending jobs that fit only before or only after. */
    private static void change(Budget budget, int gpus, List<AdmissionEntry> again) {
        int before = budget.room();
        budget.held += gpus;
        int after = budget.room();
        for (AdmissionEntry entry : budget.pending) {
            if (entry.minGpus() > Math.max(before, after)) {
                break;
            }
            if (entry.minGpus() > Math.min(before, after)) {
                again.add(entry);
            }
        }
    }

    private List<Budget> budgetsOf(AdmissionEntry entry) {
        List<Budget> found = new ArrayList<>();
        for (QueueRule rule : rules) {
            if (rule.covers(entry.jobView.job().queue())) {
                int ofUser = rule.terms().perUser().gpus();
                int ofTrials = rule.terms().trials().totalGpus();
                if (ofUser != QueueTerms.NO_LIMIT) {
                    found.add(
                            budget(rule.path() + "\nuser " + entry.jobView.job().user(), ofUser));
                }
                if (ofTrials != QueueTerms.NO_LIMIT && entry.jobView.job().jobClass() == JobClass.TRIAL) {
                    found.add(budget(rule.path() + "\ntrials", ofTrials));
                }
            }
        }
        return found;
    }

    private Budget budget(String key, int limit) {
        return budgets.computeIfAbsent(key, k -> new Budget(limit));
    }

    /** GPUs that a job may still take by these limits. */
    int room(AdmissionEntry entry) {
        Usage usage = usages.get(entry.id());
        int room = Integer.MAX_VALUE;
        if (usage != null) {
            for (Budget budget : usage.budgets) {
                room = Math.min(room, budget.room());
            }
        }
        return room;
    }

    boolean isOpen(AdmissionEntry entry) {
        return room(entry) >= entry.minGpus();
    }

    /** A job will get these GPUs when the round is over. */
    void addPlanned(AdmissionEntry entry, Allocation allocation) {
        Usage usage = usages.get(entry.id());
        if (usage != null) {
            for (Budget budget : usage.budgets) {
                budget.planned += allocation.size();
                withPlans.add(budget);
            }
        }
    }

    void clearPlans() {
        withPlans.forEach(budget -> budget.planned = 0);
        withPlans.clear();
    }
}
