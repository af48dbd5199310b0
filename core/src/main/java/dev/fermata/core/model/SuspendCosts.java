package dev.fermata.core.model;

import java.util.Objects;

/**
 * What suspending a job in place takes. Its processes keep everything, its GPU memory moves to the host memory of its node,
 * and its GPUs are free for others.
 *
 * @param outMillis until its GPUs are free
 * @param inMillis until it makes progress again on free GPUs
 * @param memoryMibPerGpu host memory that it holds for each GPU while it is suspended
 * @param reach where it may be resumed
 */
public record SuspendCosts(long outMillis, long inMillis, long memoryMibPerGpu, Reach reach) {
    /** Where a suspended job may be resumed. */
    public enum Reach {
        /** It cannot be suspended at all. */
        NOWHERE,
        SAME_GPUS,
        /** Other GPUs of its node are as good: the driver maps one to another of the same type. */
        SAME_NODE
    }

    /** Of a job that cannot be suspended. */
    public static final SuspendCosts CANNOT = new SuspendCosts(0, 0, 0, Reach.NOWHERE);

    /** Measured on one H200, driver 580: seconds to suspend a program with this much memory, and to resume it. */
    private static final long OUT_MILLIS = 400;

    private static final long OUT_MILLIS_PER_GIB = 550;
    private static final long IN_MILLIS = 250;
    private static final long IN_MILLIS_PER_GIB = 160;
    private static final long MIB_PER_GIB = 1024;
    private static final long LIMIT_MILLIS = 60_000;
    private static final long LIMIT_FACTOR = 4;

    public SuspendCosts {
        Require.that(
                outMillis >= 0 && inMillis >= 0 && memoryMibPerGpu >= 0, "costs of a suspension must not be negative");
        Objects.requireNonNull(reach, "reach");
    }

    /** As measured, for a job that holds so much memory on each of its GPUs. */
    public static SuspendCosts measured(long memoryMibPerGpu, Reach reach) {
        return new SuspendCosts(
                OUT_MILLIS + OUT_MILLIS_PER_GIB * memoryMibPerGpu / MIB_PER_GIB,
                IN_MILLIS + IN_MILLIS_PER_GIB * memoryMibPerGpu / MIB_PER_GIB,
                memoryMibPerGpu,
                reach);
    }

    public boolean possible() {
        return reach != Reach.NOWHERE;
    }

    /** An engine gives up a suspension or a resumption that takes longer. */
    public long limitMillis() {
        return LIMIT_MILLIS + LIMIT_FACTOR * Math.max(outMillis, inMillis);
    }

    /** What a suspension and a resumption take of the job's time. */
    public long overheadMillis() {
        return outMillis + inMillis;
    }
}
