package dev.fermata.live.learn;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one attempt showed, -1 where it did not. Durations are in milliseconds.
 *
 * @param startMillis from the order to start it until its script spoke for the first time
 * @param buildMillis from there until it began to load a checkpoint
 * @param restoreMillis loading the checkpoint; -1 too when there was none to load
 * @param warmupMillis from there until its first step was done, less what a step usually takes
 * @param loadMillis from the order to start it until its first step was done, less what a step usually takes
 * @param pauseMillis from the signal until nothing of it was left
 * @param saveMillis from the signal until it said that it had saved
 * @param keptByPause 1 when it saved and went as it was asked to, 0 when what it did since its last save was lost
 * @param iterationMicros what a step usually took, in microseconds
 * @param busyPermille share of the time in which its GPUs were busy, in thousandths
 * @param peakMemoryMib the most memory it held on one GPU
 * @param savedBytes size of its latest checkpoint
 * @param checkpointEveryMillis how often it saved without being asked
 * @param savedAtMillis when it last said that it had saved, as a time of day
 * @param step how far it came
 * @param savedStep how far it is known to have saved
 * @param totalSteps how many steps there are, 0 when it did not say
 * @param beside how fast it was beside others, one by one
 */
public record Measured(
        long startMillis,
        long buildMillis,
        long restoreMillis,
        long warmupMillis,
        long loadMillis,
        long pauseMillis,
        long saveMillis,
        long keptByPause,
        long iterationMicros,
        long busyPermille,
        long peakMemoryMib,
        long savedBytes,
        long checkpointEveryMillis,
        long savedAtMillis,
        long step,
        long savedStep,
        long totalSteps,
        List<Beside> beside) {
    public static final long UNKNOWN = -1;

    public static final Measured NOTHING =
            new Measured(-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0);

    /** The same with what an earlier look at this attempt showed of its GPUs where this one says nothing, and the most memory of both. */
    public Measured orAsBefore(@Nullable Measured before) {
        return before == null
                ? this
                : withGpu(
                        busyPermille < 0 ? before.busyPermille : busyPermille,
                        Math.max(before.peakMemoryMib, peakMemoryMib));
    }

    public Measured {
        beside = List.copyOf(beside);
    }

    /** Of an attempt that was seen beside nobody. */
    public Measured(
            long startMillis,
            long buildMillis,
            long restoreMillis,
            long warmupMillis,
            long loadMillis,
            long pauseMillis,
            long saveMillis,
            long keptByPause,
            long iterationMicros,
            long busyPermille,
            long peakMemoryMib,
            long savedBytes,
            long checkpointEveryMillis,
            long savedAtMillis,
            long step,
            long savedStep,
            long totalSteps) {
        this(
                startMillis,
                buildMillis,
                restoreMillis,
                warmupMillis,
                loadMillis,
                pauseMillis,
                saveMillis,
                keptByPause,
                iterationMicros,
                busyPermille,
                peakMemoryMib,
                savedBytes,
                checkpointEveryMillis,
                savedAtMillis,
                step,
                savedStep,
                totalSteps,
                List.of());
    }

    public boolean isNothing() {
        return equals(NOTHING);
    }

    /** The same of an attempt whose GPUs were watched. */
    public Measured withGpu(long newBusyPermille, long newPeakMemoryMib) {
        return copy(newBusyPermille, newPeakMemoryMib, beside);
    }

    /** The same of an attempt that was seen beside others. */
    public Measured withBeside(List<Beside> seen) {
        return copy(busyPermille, peakMemoryMib, seen);
    }

    private Measured copy(long busy, long peak, List<Beside> seen) {
        return new Measured(
                startMillis,
                buildMillis,
                restoreMillis,
                warmupMillis,
                loadMillis,
                pauseMillis,
                saveMillis,
                keptByPause,
                iterationMicros,
                busy,
                peak,
                savedBytes,
                checkpointEveryMillis,
                savedAtMillis,
                step,
                savedStep,
                totalSteps,
                seen);
    }
}
