package dev.fermata.sim.oracle;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * One pool of GPUs simulated without any of the product's code: at every arrival, every end and every change of queue all
 * unfinished jobs are sorted, and whoever fits is taken from the top. As slow as it is plain.
 */
final class PoolLoop {
    /** A job of the pool, in milliseconds. */
    record Task(long submit, int gpus, long duration) {}

    /** What a job looks like to whoever sorts. */
    static final class State {
        final int id;
        final Task task;
        long left;
        long attained;
        boolean runs;
        long started;

        State(int id, Task task) {
            this.id = id;
            this.task = task;
            this.left = task.duration;
        }

        long attainedGpuMillis() {
            return attained * task.gpus;
        }

        int queue(long threshold) {
            return attainedGpuMillis() >= threshold ? 1 : 0;
        }
    }

    static final Comparator<State> ARRIVAL =
            Comparator.<State>comparingLong(s -> s.task.submit).thenComparingInt(s -> s.id);
    static final Comparator<State> REMAINING_TIME = Comparator.comparingLong(s -> s.left);
    static final Comparator<State> REMAINING_SERVICE = Comparator.comparingLong(s -> s.left * s.task.gpus);

    /** Two queues; inside each those who run stay, then order of arrival. */
    static Comparator<State> attained(long threshold) {
        return Comparator.<State>comparingInt(s -> s.queue(threshold))
                .thenComparing(s -> !s.runs)
                .thenComparingLong(s -> s.runs ? s.started : s.task.submit)
                .thenComparingInt(s -> s.id);
    }

    private final List<State> all = new ArrayList<>();
    private final long[] ends;
    private final int gpus;
    private int preemptions;

    private PoolLoop(List<Task> tasks, int gpus) {
        for (int i = 0; i < tasks.size(); i++) {
            all.add(new State(i + 1, tasks.get(i)));
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

    /** Jobs by this order from the top, skipping those who do not fit; {@code threshold} is where order may change too. */
    static PoolLoop preemptive(List<Task> tasks, int gpus, Comparator<State> order, long threshold) {
        PoolLoop loop = new PoolLoop(tasks, gpus);
        long now = -1;
        List<State> live = new ArrayList<>();
        for (long next = loop.nextEvent(live, now, threshold); next < Long.MAX_VALUE; ) {
            loop.advance(live, next - Math.max(now, 0), next);
            now = next;
            for (State state : loop.all) {
                if (state.task.submit == now) {
                    live.add(state);
                }
            }
            live.sort(order);
            int free = gpus;
            for (State state : live) {
                boolean fits = state.task.gpus <= free;
                free -= fits ? state.task.gpus : 0;
                loop.preemptions += state.runs && !fits ? 1 : 0;
                state.started = fits && !state.runs ? now : state.started;
                state.runs = fits;
            }
            next = loop.nextEvent(live, now, threshold);
        }
        return loop;
    }

    /** Strictly in order of arrival, or with EASY backfilling: whoever delays the first in line by nothing may go ahead. */
    static PoolLoop inLine(List<Task> tasks, int gpus, boolean backfill) {
        PoolLoop loop = new PoolLoop(tasks, gpus);
        List<State> waiting = new ArrayList<>();
        List<State> live = new ArrayList<>();
        long now = -1;
        for (long next = loop.nextEvent(live, now, Long.MAX_VALUE); next < Long.MAX_VALUE; ) {
            loop.advance(live, next - Math.max(now, 0), next);
            now = next;
            for (State state : loop.all) {
                if (state.task.submit == now) {
                    waiting.add(state);
                }
            }
            waiting.sort(ARRIVAL);
            while (!waiting.isEmpty() && waiting.get(0).task.gpus <= loop.free(live)) {
                loop.start(waiting.remove(0), live);
            }
            if (backfill && waiting.size() > 1) {
                loop.backfill(waiting, live);
            }
            next = loop.nextEvent(live, now, Long.MAX_VALUE);
        }
        return loop;
    }

    private void backfill(List<State> waiting, List<State> live) {
        int need = waiting.get(0).task.gpus;
        long[] lefts = live.stream().mapToLong(s -> s.left).sorted().toArray();
        long until = Arrays.stream(lefts)
                .filter(left -> freeIn(live, left) >= need)
                .findFirst()
                .orElseThrow();
        int spare = freeIn(live, until) - need;
        for (int i = 1; i < waiting.size(); i++) {
            State state = waiting.get(i);
            boolean inTime = state.left <= until;
            if (state.task.gpus <= free(live) && (inTime || state.task.gpus <= spare)) {
                spare -= inTime ? 0 : state.task.gpus;
                start(state, live);
                waiting.remove(i--);
            }
        }
    }

    private void start(State state, List<State> live) {
        state.runs = true;
        live.add(state);
    }

    private int free(List<State> live) {
        return freeIn(live, 0);
    }

    private int freeIn(List<State> live, long millis) {
        return gpus
                - live.stream()
                        .filter(s -> s.left > millis)
                        .mapToInt(s -> s.task.gpus)
                        .sum();
    }

    private void advance(List<State> live, long span, long now) {
        for (State state : live) {
            if (state.runs) {
                state.left -= span;
                state.attained += span;
                if (state.left == 0) {
                    ends[state.id - 1] = now;
                }
            }
        }
        live.removeIf(state -> state.left == 0);
    }

    private long nextEvent(List<State> live, long now, long threshold) {
        long next = Long.MAX_VALUE;
        for (State state : all) {
            next = state.task.submit > now ? Math.min(next, state.task.submit) : next;
        }
        for (State state : live) {
            if (state.runs) {
                next = Math.min(next, now + state.left);
                long missing = threshold - state.attainedGpuMillis();
                if (threshold < Long.MAX_VALUE && missing > 0) {
                    next = Math.min(next, now + (missing + state.task.gpus - 1) / state.task.gpus);
                }
            }
        }
        return next;
    }
}
