package dev.fermata.core.policy.order;

import dev.fermata.core.model.LongMap;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.function.LongToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * When each job would end if all jobs shared the GPUs equally. Every live job would run at the same fraction of its
 * full speed: all GPUs over all demanded GPUs. Virtual time advances at that fraction, so a job is due when virtual
 * time has advanced by its work. Jobs that are due count no longer. Costs O(log jobs) a job.
 *
 * <p>The fair sojourn protocol of Friedman and Henderson (SIGMETRICS 2003) orders jobs by these times; here they only tell
 * which jobs are overdue.
 */
final class FairFinish {
    private record Due(long id, int gpus, double joinedMillis, double virtualMillis) {}

    private final PriorityQueue<Due> queue = new PriorityQueue<>((a, b) -> {
        int byTime = Double.compare(a.virtualMillis, b.virtualMillis);
        return byTime != 0 ? byTime : Long.compare(a.id, b.id);
    });
    private final LongMap<Due> joined = new LongMap<>();
    private double virtualMillis;
    private long nowMillis;
    private long demandedGpus;
    private int gpus = 1;

    /** A job of so much work joins now. */
    void join(long id, int jobGpus, double workMillis) {
        leave(id);
        add(new Due(id, jobGpus, virtualMillis, virtualMillis + workMillis));
    }

    private void add(Due due) {
        queue.add(due);
        joined.put(due.id, due);
        demandedGpus += due.gpus;
    }

    /** The job ended, or it is due: it no longer shares the GPUs. */
    void leave(long id) {
        Due due = joined.remove(id);
        if (due != null) {
            demandedGpus -= due.gpus;
        }
        if (queue.size() > 4 * joined.size() + 64) {
            queue.removeIf(this::isStale);
        }
    }

    /**
     * Advances to this time, and returns the jobs that became due, the first first.
     *
     * @param workMillis the work of a job as it is known now: with more work than before it is due later
     */
    List<Long> advance(long toMillis, int gpusUp, LongToDoubleFunction workMillis) {
        List<Long> overdue = new ArrayList<>(0);
        double wall = toMillis - nowMillis;
        nowMillis = toMillis;
        for (Due next = first(); next != null; next = first()) {
            double needed = Math.max(0, next.virtualMillis - virtualMillis) / speed();
            if (needed > wall) {
                break;
            }
            wall -= needed;
            virtualMillis = Math.max(virtualMillis, next.virtualMillis);
            leave(next.id);
            double due = next.joinedMillis + workMillis.applyAsDouble(next.id);
            if (due > virtualMillis + 1) {
                add(new Due(next.id, next.gpus, next.joinedMillis, due));
            } else {
                overdue.add(next.id);
            }
        }
        virtualMillis += wall * speed();
        gpus = Math.max(1, gpusUp);
        return overdue;
    }

    /** The fraction of its full speed at which every job would run. */
    private double speed() {
        return Math.min(1, (double) gpus / Math.max(1, demandedGpus));
    }

    private @Nullable Due first() {
        while (!queue.isEmpty() && isStale(queue.peek())) {
            queue.remove();
        }
        return queue.peek();
    }

    private boolean isStale(Due due) {
        return !due.equals(joined.get(due.id));
    }
}
