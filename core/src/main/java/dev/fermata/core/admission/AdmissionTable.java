package dev.fermata.core.admission;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Every live job with what the policy knows of it, and the changes that it sees next. */
final class AdmissionTable {
    private final LongMap<AdmissionEntry> entries = new LongMap<>();
    private final List<AdmissionEntry> listed = new ArrayList<>();
    /** What the policy reads as changed in this round. */
    final List<JobView> changes = new ArrayList<>();
    /** Counts the rounds in which GPUs that the policy had given away came back. */
    long returnedRounds;

    private int hidden;

    /** Pending jobs that the policy does not know of. */
    int hidden() {
        return hidden;
    }

    /** All entries, by id. */
    List<AdmissionEntry> all() {
        List<AdmissionEntry> all = new ArrayList<>(entries.size());
        entries.forEach(all::add);
        all.sort(Comparator.comparingLong(AdmissionEntry::id));
        return all;
    }

    int count(Predicate<AdmissionEntry> requested) {
        int[] count = {0};
        entries.forEach(entry -> count[0] += requested.test(entry) ? 1 : 0);
        return count[0];
    }

    @Nullable
    AdmissionEntry get(long id) {
        return entries.get(id);
    }

    AdmissionEntry add(JobView job, boolean known) {
        AdmissionEntry entry = entries.get(job.id());
        if (entry == null) {
            entry = new AdmissionEntry(job);
            entry.visible = known;
            hidden += known ? 0 : 1;
            entries.put(job.id(), entry);
        }
        return entry;
    }

    /** The job ended; the policy sees that if it knew the job. */
    void remove(AdmissionEntry entry) {
        entries.remove(entry.id());
        if (entry.visible) {
            changes.add(entry.jobView);
        } else {
            hidden--;
        }
    }

    void show(AdmissionEntry entry) {
        hidden -= entry.visible ? 0 : 1;
        entry.visible = true;
        report(entry);
    }

    /** The job is no longer admitted: the policy sees that once. */
    void hide(AdmissionEntry entry) {
        if (entry.visible) {
            entry.visible = false;
            hidden++;
            report(entry);
        }
    }

    /** The policy sees this job as changed in this round. */
    void report(AdmissionEntry entry) {
        if (!entry.listed) {
            entry.listed = true;
            listed.add(entry);
        }
    }

    /** Writes the list for this round. */
    void publishChanges() {
        for (AdmissionEntry entry : listed) {
            entry.listed = false;
            if (!entry.jobView.state().isFinal()) {
                changes.add(entry.jobView);
            }
        }
        listed.clear();
    }

    void clearChanges() {
        changes.clear();
    }

    static boolean isOnGpus(JobView job) {
        return job.state() != JobState.PENDING && !job.state().isFinal();
    }
}
