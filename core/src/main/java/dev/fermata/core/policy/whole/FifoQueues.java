package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.policy.order.JobOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Waiting jobs, first come first served: in one queue, or in one per demand, so that none blocks another. */
final class FifoQueues {
    /** A waiting job; its FIFO key is kept here because it may change while the job is away. */
    record WaitingJob(JobView job, int level, long fifoKeyMillis) {
        static final Comparator<WaitingJob> ORDER = Comparator.comparingInt(WaitingJob::level)
                .thenComparingLong(WaitingJob::fifoKeyMillis)
                .thenComparingLong(w -> w.job.id());
    }

    /** Jobs that fit or do not fit together. */
    private record FitKey(Demand demand, long types) {}

    /** The jobs that wait behind the same head. */
    static final class FifoQueue {
        private final @Nullable FitKey fitKey;
        private final TreeSet<WaitingJob> waitingJobs = new TreeSet<>(WaitingJob.ORDER);
        private long blockedVersion = -1;
        private long blockedHead = -1;
        private ReasonCode blockedReason = ReasonCode.NOT_YET_CONSIDERED;

        private FifoQueue(@Nullable FitKey demandClass) {
            this.fitKey = demandClass;
        }

        JobView head() {
            return waitingJobs.first().job;
        }

        WaitingJob firstWaiting() {
            return waitingJobs.first();
        }

        boolean isEmpty() {
            return waitingJobs.isEmpty();
        }

        /** The head does not fit: no second look until something changes. Returns whether the head or the reason is new. */
        boolean block(long version, ReasonCode reason) {
            boolean isNew = blockedHead != head().id() || blockedReason != reason;
            blockedVersion = version;
            blockedHead = head().id();
            blockedReason = reason;
            return isNew;
        }

        boolean isBlocked(long version) {
            return blockedVersion == version && blockedHead == head().id();
        }
    }

    private record QueuePosition(FifoQueue queue, WaitingJob waitingJob) {}

    private final boolean single;
    private final Map<FitKey, FifoQueue> byFitKey = new LinkedHashMap<>();
    private final FifoQueue all = new FifoQueue(null);
    private final LongMap<QueuePosition> places = new LongMap<>();

    /** @param single one queue for all */
    FifoQueues(boolean single) {
        this.single = single;
    }

    void add(JobView job) {
        FifoQueue queue = single
                ? all
                : byFitKey.computeIfAbsent(new FitKey(job.job().demand(), job.eligibleTypes()), FifoQueue::new);
        WaitingJob waitingJob = new WaitingJob(job, JobOrder.priorityLevel(job), job.fifoKeyMillis());
        queue.waitingJobs.add(waitingJob);
        places.put(job.id(), new QueuePosition(queue, waitingJob));
    }

    void remove(long id) {
        QueuePosition place = places.remove(id);
        if (place != null) {
            place.queue.waitingJobs.remove(place.waitingJob);
            if (place.queue.isEmpty() && place.queue.fitKey != null) {
                byFitKey.remove(place.queue.fitKey);
            }
        }
    }

    boolean isEmpty() {
        return places.size() == 0;
    }

    /** The queues with waiting jobs whose head was not rejected at this version. */
    List<FifoQueue> queuesToServe(long version) {
        Collection<FifoQueue> queues = single ? List.of(all) : byFitKey.values();
        List<FifoQueue> due = new ArrayList<>();
        for (FifoQueue queue : queues) {
            if (!queue.isEmpty() && !queue.isBlocked(version)) {
                due.add(queue);
            }
        }
        return due;
    }

    /** How many jobs are before this one in its queue, or -1 when it does not wait here. */
    int countAhead(long id) {
        QueuePosition place = places.get(id);
        return place == null
                ? -1
                : place.queue.waitingJobs.headSet(place.waitingJob).size();
    }
}
