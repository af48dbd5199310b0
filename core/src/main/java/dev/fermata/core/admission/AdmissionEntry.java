package dev.fermata.core.admission;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.ProfileFirst;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the gates know of one live job. */
final class AdmissionEntry {
    /** Which jobs of a queue are shown first where not all are: by priority, then first come. */
    static final Comparator<AdmissionEntry> ORDER = Comparator.<AdmissionEntry>comparingInt(a -> -a.priority)
            .thenComparingLong(a -> a.fifoKeyMillis)
            .thenComparingLong(AdmissionEntry::id);

    final JobView jobView;
    /** Whether the policy sees this job. */
    boolean visible;
    /** Whether it is in the list that the policy reads in this round. */
    boolean listed;
    /** Whether it waits without a reservation, with all gates open but those of its queue. */
    boolean queueEligible;
    /** Whether a dependency of it ended in another way. */
    boolean dependencyFailed;
    /** Its queue, as last read; null while no queue has rules. */
    @Nullable
    QueueNode queue;

    JobArray array = JobArray.NONE;
    /** As last read, since it is removed once the profile is known. */
    ProfileFirst profileFirst = ProfileFirst.NONE;

    /** Whether it is on GPUs or has a reservation. */
    boolean occupiesGpus;
    /** Whether that began since the last round. */
    boolean newlyServed;
    /** GPUs that it holds, or holds and has reserved elsewhere. */
    int heldGpus;
    /** How many of them it is leaving. */
    int vacatingGpus;

    @Nullable
    Allocation held;

    /** Victims whose GPUs it got because they were guaranteed to its queue: they do not get them back while it runs. */
    List<Long> reclaimedFrom = List.of();
    /** As they were when it was queued, since both may change. */
    int priority;

    long fifoKeyMillis;
    /** GPUs that it counts for while it waits. */
    int pendingGpus;
    /** The capacity version at which its action was rejected; it is not shown again before that changes. */
    long blockedVersion = -1;

    AdmissionEntry(JobView view) {
        this.jobView = view;
    }

    long id() {
        return jobView.id();
    }

    int minGpus() {
        return jobView.job().demand().minGpus();
    }

    int maxGpus() {
        return jobView.job().demand().maxGpus();
    }

    boolean isPending() {
        return jobView.state() == JobState.PENDING && !jobView.hasReservation();
    }
}
