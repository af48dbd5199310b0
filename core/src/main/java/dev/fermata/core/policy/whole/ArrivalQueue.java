package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.order.JobOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Waiting jobs in order of arrival (priorities first), each with the number of later jobs that went before it. */
final class ArrivalQueue {
    /** One waiting job. */
    static final class QueuedJob implements Comparable<QueuedJob> {
        final JobView job;
        final CoRunScore.ActiveIdle activeIdle;
        private final int level;
        private final long fifoKeyMillis;
        /** How many jobs from behind it have started while it waited. */
        int passedOver;
        /** Every place that could take it has been examined since it came into the window. */
        boolean examined;

        QueuedJob(JobView job) {
            this.job = job;
            this.activeIdle = CoRunScore.ActiveIdle.of(job.job().profile());
            this.level = JobOrder.priorityLevel(job);
            this.fifoKeyMillis = job.fifoKeyMillis();
        }

        /** Whether all that was noted about the job is still so. */
        boolean isCurrent() {
            return fifoKeyMillis == job.fifoKeyMillis()
                    && level == JobOrder.priorityLevel(job)
                    && activeIdle.equals(CoRunScore.ActiveIdle.of(job.job().profile()));
        }

        @Override
        public int compareTo(QueuedJob other) {
            return ORDER.compare(this, other);
        }
    }

    private static final Comparator<QueuedJob> ORDER = Comparator.<QueuedJob>comparingInt(p -> p.level)
            .thenComparingLong(p -> p.fifoKeyMillis)
            .thenComparingLong(p -> p.job.id());

    private final TreeSet<QueuedJob> queue = new TreeSet<>(ORDER);
    private final List<@Nullable QueuedJob> bySlot = new ArrayList<>();
    private final int windowSize;
    private List<QueuedJob> window = List.of();

    /** @param windowSize how many jobs from the front are looked at */
    ArrivalQueue(int windowSize) {
        this.windowSize = windowSize;
    }

    void update(View view) {
        for (JobView job : view.changedJobs()) {
            QueuedJob place = place(job);
            boolean waits = view.isWaiting(job);
            QueuedJob replacement = waits && (place == null || !place.isCurrent()) ? new QueuedJob(job) : null;
            if (place != null && (replacement != null || !waits)) {
                remove(place);
            }
            if (replacement != null) {
                replacement.passedOver =
                        place == null || place.fifoKeyMillis != replacement.fifoKeyMillis ? 0 : place.passedOver;
                add(replacement);
            }
        }
    }

    private void add(QueuedJob place) {
        while (bySlot.size() <= place.job.slot()) {
            bySlot.add(null);
        }
        bySlot.set(place.job.slot(), place);
        queue.add(place);
    }

    private void remove(QueuedJob place) {
        queue.remove(place);
        bySlot.set(place.job.slot(), null);
    }

    @Nullable
    QueuedJob place(JobView job) {
        return job.slot() < bySlot.size() ? bySlot.get(job.slot()) : null;
    }

    /** A job starts: the jobs before it were passed over. */
    void start(QueuedJob started) {
        for (QueuedJob other : queue) {
            if (other == started) {
                break;
            }
            other.passedOver++;
        }
        remove(started);
    }

    /** The jobs at the front that are looked at. */
    List<QueuedJob> window() {
        List<QueuedJob> next = new ArrayList<>(Math.min(windowSize, queue.size()));
        for (QueuedJob place : queue) {
            if (next.size() == windowSize) {
                break;
            }
            next.add(place);
        }
        for (QueuedJob gone : window) {
            gone.examined &= next.size() < windowSize || gone.compareTo(next.get(windowSize - 1)) <= 0;
        }
        window = next;
        return next;
    }

    boolean isBeyondWindow(QueuedJob place) {
        return window.size() == windowSize && place.compareTo(window.get(windowSize - 1)) > 0;
    }

    int countAhead(QueuedJob place) {
        return queue.headSet(place).size();
    }
}
