package dev.fermata.core.admit;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Trial;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the gates note about one live job. */
final class Applicant {
    /** Who of a queue is shown first where not all are: by priority, then first come. */
    static final Comparator<Applicant> ORDER = Comparator.<Applicant>comparingInt(a -> -a.priority)
            .thenComparingLong(a -> a.ticketMillis)
            .thenComparingLong(Applicant::id);

    final JobView view;
    /** Whether the policy believes that this job exists. */
    boolean known;
    /** Whether it is in the list that the policy reads in this round. */
    boolean listed;
    /** Whether it waits, promised nothing, with all gates open but those of its queue. */
    boolean waits;
    /** Whether it waited for a job that ended otherwise than it wanted. */
    boolean doomed;
    /** Its queue, as last read; null while no queue has rules. */
    @Nullable
    Queue queue;

    Bundle bundle = Bundle.NONE;
    /** As last read, since it is taken away once its kind is known. */
    Trial trial = Trial.NONE;

    /** Whether it is on GPUs or promised some. */
    boolean occupies;
    /** Whether it came to that since the last round. */
    boolean served;
    /** GPUs that it holds, or holds and is promised elsewhere. */
    int heldGpus;
    /** How many of them it was asked to leave. */
    int leavingGpus;

    @Nullable
    Allocation held;

    /** Whom it got its GPUs from because they were owed to its queue: they do not get them back while it runs. */
    List<Long> displaced = List.of();
    /** As they were when it was put in line, since both may change. */
    int priority;

    long ticketMillis;
    /** GPUs that it counts for while it waits. */
    int pendingGpus;
    /** What it wanted for it was not to be had at this version of the capacity; not shown again before that changes. */
    long barredVersion = -1;

    Applicant(JobView view) {
        this.view = view;
    }

    long id() {
        return view.id();
    }

    int minGpus() {
        return view.job().demand().minGpus();
    }

    int maxGpus() {
        return view.job().demand().maxGpus();
    }

    boolean pending() {
        return view.state() == JobState.PENDING && !view.promised();
    }
}
