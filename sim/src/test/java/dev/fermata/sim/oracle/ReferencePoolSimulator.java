package dev.fermata.sim.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * One pool of GPUs simulated without any of the product's code: at every arrival, every end and every change of queue
 * all unfinished jobs are sorted, and those that fit are taken from the top. Slow and simple.
 */
final class ReferencePoolSimulator {
    /** A job of the pool, in milliseconds. */
    record PoolTask(long submit, int gpus, long duration) {}

    /** The sort key of a job. */
    static final class TaskState {
        final int id;
        final PoolTask task;
        long remaining;
        long attained;
        boolean running;
        long started;

        TaskState(int id, PoolTask task) {
            this.id = id;
            this.task = task;
            this.remaining = task.duration;
        }

        long attainedGpuMillis() {
            return attained * task.gpus;
        }

        int queue(long threshold) {
            return attainedGpuMillis() >= threshold ? 1 : 0;
        }
    }

    static final Comparator<TaskState> ARRIVAL =
            Comparator.<TaskState>comparingLong(s -> s.task.submit).thenComparingInt(s -> s.id);
    static final Comparator<TaskState> REMAINING_TIME = Comparator.comparingLong(s -> s.remaining);
    static final Comparator<TaskState> REMAINING_SERVICE = Comparator.comparingLong(s -> s.remaining * s.task.gpus);

    /** Two queues; inside each, running jobs stay, then order of arrival. */
    static Comparator<TaskState> attained(long threshold) {
        return Comparator.<TaskState>comparingInt(s -> s.queue(threshold))
                .thenComparing(s -> !s.running)
                .thenComparingLong(s -> s.running ? s.started : s.task.submit)
                .thenComparingInt(s -> s.id);
    }

    private final List<TaskState> all = new ArrayList<>();
    private final long[] ends;
    private final int gpus;
    private int preemptions;

    private ReferencePoolSimulator(List<PoolTask> tasks, int gpus) {
        for (int i = 0; i < tasks.size(); i++) {
            all.add(new TaskState(i + 1, tasks.get(i)));
        }
        this.ends = new long[tasks.size()];
        this.gpus = gpus;
    }

    long[] ends() {
        return ends;
    }

    int preemptions() {
        return preemptions;
    }

    /** Jobs by this order from the top, skipping those that do not fit; order may also change at {@code threshold}. */
    static ReferencePoolSimulator preemptive(
            List<PoolTask> tasks, int gpus, Comparator<TaskState> order, long threshold) {
        ReferencePoolSimulator reference = new ReferencePoolSimulator(tasks, gpus);
        long now = -1;
        List<TaskState> live = new ArrayList<>();
        for (long next = reference.nextEvent(live, now, threshold); next < Long.MAX_VALUE; ) {
            reference.advance(live, next - Math.max(now, 0), next);
            now = next;
            for (TaskState state : reference.all) {
                if (state.task.submit == now) {
                    live.add(state);
                }
            }
            live.sort(order);
            int free = gpus;
            for (TaskState state : live) {
                boolean fits = state.task.gpus <= free;
                free -= fits ? state.task.gpus : 0;
                reference.preemptions += state.running && !fits ? 1 : 0;
                state.started = fits && !state.running ? now : state.started;
                state.running = fits;
            }
            next = reference.nextEvent(live, now, threshold);
        }
        return reference;
    }

    /**
     * Strictly in order of arrival, or with EASY backfilling: a job that does not delay the first in line may go ahead.
     */
    static ReferencePoolSimulator fifo(List<PoolTask> tasks, int gpus, boolean backfill) {
        ReferencePoolSimulator reference = new ReferencePoolSimulator(tasks, gpus);
        List<TaskState> waiting = new ArrayList<>();
        List<TaskState> live = new ArrayList<>();
        long now = -1;
        for (long next = reference.nextEvent(live, now, Long.MAX_VALUE); next < Long.MAX_VALUE; ) {
            reference.advance(live, next - Math.max(now, 0), next);
            now = next;
            for (TaskState state : reference.all) {
                if (state.task.submit == now) {
                    waiting.add(state);
                }
            }
            waiting.sort(ARRIVAL);
            while (!waiting.isEmpty() && waiting.get(0).task.gpus <= reference.free(live)) {
                reference.start(waiting.remove(0), live);
            }
            if (backfill && waiting.size() > 1) {
                reference.backfill(waiting, live);
            }
            next = reference.nextEvent(live, now, Long.MAX_VALUE);
        }
        return reference;
    }

    private void backfill(List<TaskState> waiting, List<TaskState> live) {
        int need = waiting.get(0).task.gpus;
        long[] lefts = live.stream().mapToLong(s -> s.remaining).sorted().toArray();
        long until = Arrays.stream(lefts)
                .filter(left -> freeIn(live, left) >= need)
                .findFirst()
                .orElseThrow();
        int spare = freeIn(live, until) - need;
        for (int i = 1; i < waiting.size(); i++) {
            TaskState state = waiting.get(i);
            boolean inTime = state.remaining <= until;
            if (state.task.gpus <= free(live) && (inTime || state.task.gpus <= spare)) {
                spare -= inTime ? 0 : state.task.gpus;
                start(state, live);
                waiting.remove(i--);
            }
        }
    }

    private void start(TaskState state, List<TaskState> live) {
        state.running = true;
        live.add(state);
    }

    private int free(List<TaskState> live) {
        return freeIn(live, 0);
    }

    private int freeIn(List<TaskState> live, long millis) {
        return gpus
                - live.stream()
                        .filter(s -> s.remaining > millis)
                        .mapToInt(s -> s.task.gpus)
                        .sum();
    }

    private void advance(List<TaskState> live, long span, long now) {
        for (TaskState state : live) {
            if (state.running) {
                state.remaining -= span;
                state.attained += span;
                if (state.remaining == 0) {
                    ends[state.id - 1] = now;
                }
            }
        }
        live.removeIf(state -> state.remaining == 0);
    }

    private long nextEvent(List<TaskState> live, long now, long threshold) {
        long next = Long.MAX_VALUE;
        for (TaskState state : all) {
            next = state.task.submit > now ? Math.min(next, state.task.submit) : next;
        }
        for (TaskState state : live) {
            if (state.running) {
                next = Math.min(next, now + state.remaining);
                long missing = threshold - state.attainedGpuMillis();
                if (threshold < Long.MAX_VALUE && missing > 0) {
                    next = Math.min(next, now + (missing + state.task.gpus - 1) / state.task.gpus);
                }
            }
        }
        return next;
    }
}
