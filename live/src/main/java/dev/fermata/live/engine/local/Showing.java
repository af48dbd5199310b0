package dev.fermata.live.engine.local;

import dev.fermata.live.learn.Measured;
import dev.fermata.live.learn.Telling;
import org.jspecify.annotations.Nullable;

/** What an attempt that goes on shows of itself, and whether that is worth telling: once it is telling, and when its memory has grown. */
final class Showing {
    /** So much more of the memory that was told, at least, is news. */
    private static final double GROWN = 1.05;

    private final boolean watched;
    private long toldPeakMib = -1;
    private boolean told;

    /** @param watched whether its GPUs are real, so that there is something to see on them */
    Showing(boolean watched) {
        this.watched = watched;
    }

    /** What is to be told now, or null. */
    synchronized @Nullable Measured news(
            Phases phases, GpuUse use, long orderedMillis, long begunMillis, long nowMillis) {
        if (told) {
            return use.peakMib() > Math.max(0, toldPeakMib) * GROWN ? tell(phases, use, orderedMillis) : null;
        }
        long ready =
                phases.readyMillis() >= 0 ? phases.readyMillis() : phases.upMillis() >= 0 ? nowMillis : begunMillis;
        boolean steps = Telling.by(0, phases.stepsDone()) && (!watched || use.seen());
        return steps || Telling.by(nowMillis - ready, 0) ? tell(phases, use, orderedMillis) : null;
    }

    private @Nullable Measured tell(Phases phases, GpuUse use, long orderedMillis) {
        told = true;
        toldPeakMib = use.peakMib();
        long ready = phases.readyMillis();
        Measured measured = phases.measured(orderedMillis, Math.max(0, ready - orderedMillis), -1, -1, false)
                .withGpu(use.busyPermille(), use.peakMib());
        return measured.isNothing() ? null : measured;
    }
}
