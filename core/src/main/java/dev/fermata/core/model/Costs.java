package dev.fermata.core.model;

import java.util.Objects;

/**
 * What stopping and starting a job costs, in milliseconds. A preempted job writes a checkpoint and leaves; a first start
 * builds the model and warms up; a resumed start also restores the checkpoint.
 *
 * @param suspend what it takes to suspend it in place instead
 */
public record Costs(
        long preemptMillis,
        long buildMillis,
        long restoreMillis,
        long warmupMillis,
        Checkpointing checkpointing,
        SuspendCosts suspend) {
    public static final Costs NONE = new Costs(0, 0, 0, 0);

    public Costs {
        Require.that(
                preemptMillis >= 0 && buildMillis >= 0 && restoreMillis >= 0 && warmupMillis >= 0,
                "costs must not be negative");
        Objects.requireNonNull(checkpointing, "checkpointing");
        Objects.requireNonNull(suspend, "suspend");
    }

    /** Of a job that cannot be suspended. */
    public Costs(
            long preemptMillis, long buildMillis, long restoreMillis, long warmupMillis, Checkpointing checkpointing) {
        this(preemptMillis, buildMillis, restoreMillis, warmupMillis, checkpointing, SuspendCosts.CANNOT);
    }

    /** Of a job that writes a checkpoint when it is preempted. */
    public Costs(long preemptMillis, long buildMillis, long restoreMillis, long warmupMillis) {
        this(preemptMillis, buildMillis, restoreMillis, warmupMillis, Checkpointing.ON_PREEMPTION);
    }

    public Costs withCheckpointing(Checkpointing other) {
        return new Costs(preemptMillis, buildMillis, restoreMillis, warmupMillis, other, suspend);
    }

    public Costs withSuspend(SuspendCosts other) {
        return new Costs(preemptMillis, buildMillis, restoreMillis, warmupMillis, checkpointing, other);
    }

    /** The same, with starts that cost nothing. */
    public Costs withoutLoads() {
        return new Costs(preemptMillis, 0, 0, 0, checkpointing, suspend);
    }

    public long firstLoadMillis() {
        return buildMillis + warmupMillis;
    }

    public long reloadMillis() {
        return buildMillis + restoreMillis + warmupMillis;
    }

    public long loadMillis(boolean resumed) {
        return resumed ? reloadMillis() : firstLoadMillis();
    }

    public Costs scaled(double factor) {
        return new Costs(
                Math.round(preemptMillis * factor),
                Math.round(buildMillis * factor),
                Math.round(restoreMillis * factor),
                Math.round(warmupMillis * factor),
                checkpointing,
                suspend);
    }
}
