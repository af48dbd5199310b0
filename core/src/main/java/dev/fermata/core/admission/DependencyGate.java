package dev.fermata.core.admission;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs wait for the end of which. A job waits only for live jobs that were submitted earlier, so there are no circles;
 * any other dependency counts as met.
 */
final class DependencyGate {
    private final LongMap<List<AdmissionEntry>> dependentsById = new LongMap<>();
    private final Map<Long, JobView> endedThisRound = new HashMap<>();
    private final List<AdmissionEntry> unsatisfiable = new ArrayList<>();
    private final LongMap<List<Dependency>> unmet = new LongMap<>();

    /** Records ended jobs of the last round, before any gate is evaluated. */
    void noteEnded(JobView job) {
        endedThisRound.put(job.id(), job);
    }

    /** A new job: from now on it waits for its dependencies. */
    void add(AdmissionEntry entry, View view) {
        List<Dependency> open = new ArrayList<>();
        for (Dependency after : entry.jobView.job().dependencies()) {
            JobView ended = endedThisRound.get(after.jobId());
            JobView other = ended != null ? ended : view.job(after.jobId());
            if (other == null || !isEarlier(other, entry.jobView)) {
                continue;
            }
            if (other.state().isFinal()) {
                failIfUnmet(entry, after, other.state());
            } else {
                open.add(after);
                List<AdmissionEntry> others = dependentsById.get(after.jobId());
                if (others == null) {
                    others = new ArrayList<>();
                    dependentsById.put(after.jobId(), others);
                }
                others.add(entry);
            }
        }
        if (!open.isEmpty()) {
            unmet.put(entry.id(), open);
        }
    }

    private void failIfUnmet(AdmissionEntry entry, Dependency after, JobState end) {
        if (!after.condition().isMetBy(end == JobState.COMPLETED) && !entry.dependencyFailed) {
            entry.dependencyFailed = true;
            unsatisfiable.add(entry);
        }
    }

    private void failDependents(long cancelled) {
        List<AdmissionEntry> dependents = dependentsById.get(cancelled);
        for (AdmissionEntry entry : dependents == null ? List.<AdmissionEntry>of() : dependents) {
            List<Dependency> open = unmet.get(entry.id());
            for (Dependency after : open == null ? List.<Dependency>of() : open) {
                if (after.jobId() == cancelled) {
                    failIfUnmet(entry, after, JobState.CANCELLED);
                }
            }
        }
    }

    private static boolean isEarlier(JobView one, JobView other) {
        return one.submittedMillis() != other.submittedMillis()
                ? one.submittedMillis() < other.submittedMillis()
                : one.id() < other.id();
    }

    /** Releases the jobs that waited for this one; returns those for which something changed. */
    List<AdmissionEntry> release(JobView ended) {
        unmet.remove(ended.id());
        unsatisfiable.removeIf(
                entry -> entry.id() == ended.id()); // cancelled in the cycle in which its dependency failed
        List<AdmissionEntry> dependents = dependentsById.remove(ended.id());
        if (dependents == null) {
            return List.of();
        }
        for (AdmissionEntry entry : dependents) {
            List<Dependency> open = unmet.get(entry.id());
            if (open != null) {
                for (Dependency after : open) {
                    if (after.jobId() == ended.id()) {
                        failIfUnmet(entry, after, ended.state());
                    }
                }
                open.removeIf(after -> after.jobId() == ended.id());
                if (open.isEmpty()) {
                    unmet.remove(entry.id());
                }
            }
        }
        return dependents;
    }

    /** What a job still waits for, or null. */
    @Nullable
    List<Dependency> unmet(AdmissionEntry entry) {
        return unmet.get(entry.id());
    }

    /**
     * Jobs that can never run since a dependency ended in another way, each once; they are removed here. Jobs that need the
     * success of one of them are included, however long the chain: half of a chain would not survive a restart, since ended jobs
     * are not kept.
     */
    List<AdmissionEntry> takeUnsatisfiable() {
        endedThisRound.clear();
        for (int i = 0; i < unsatisfiable.size(); i++) { // grows meanwhile
            failDependents(unsatisfiable.get(i).id());
        }
        if (unsatisfiable.isEmpty()) {
            return List.of();
        }
        List<AdmissionEntry> all = List.copyOf(unsatisfiable);
        unsatisfiable.clear();
        return all;
    }
}
