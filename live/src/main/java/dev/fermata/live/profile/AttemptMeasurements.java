package dev.fermata.live.profile;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The measurements of one attempt, -1 where there are none. Durations are in milliseconds. The stored JSON is flat: the
 * groups have no keys of their own.
 *
 * @param coRuns speed with single co-located programs
 */
public record AttemptMeasurements(
        @JsonUnwrapped LoadTimes load,
        @JsonUnwrapped PreemptionTimes preemption,
        @JsonUnwrapped ResourceUse use,
        @JsonUnwrapped Checkpoints checkpoints,
        @JsonUnwrapped Steps steps,
        @JsonUnwrapped Suspensions suspensions,
        List<CoRunSample> coRuns) {
    public static final long UNKNOWN = -1;

    public static final AttemptMeasurements NONE = new AttemptMeasurements(
            LoadTimes.NONE,
            PreemptionTimes.NONE,
            ResourceUse.NONE,
            Checkpoints.NONE,
            Steps.NONE,
            Suspensions.NONE,
            List.of());

    /**
     * Phases of a start.
     *
     * @param startMillis from the start order to the first report of the script
     * @param buildMillis from there to the load of a checkpoint
     * @param restoreMillis loading the checkpoint; -1 too when there is none
     * @param warmupMillis from there to the end of the first step, without the median step time
     * @param loadMillis from the start order to the end of the first step, without the median step time
     */
    public record LoadTimes(
            long startMillis, long buildMillis, long restoreMillis, long warmupMillis, long loadMillis) {
        public static final LoadTimes NONE = new LoadTimes(-1, -1, -1, -1, -1);
    }

    /**
     * A preemption.
     *
     * @param preemptMillis from the signal to the end of the last process
     * @param saveMillis from the signal to the report that the checkpoint is saved
     * @param keptByPreemption 1 when the attempt saved and left as ordered, 0 when work since its last checkpoint was lost
     */
    public record PreemptionTimes(long preemptMillis, long saveMillis, long keptByPreemption) {
        public static final PreemptionTimes NONE = new PreemptionTimes(-1, -1, -1);
    }

    /**
     * Use of time and GPUs.
     *
     * @param iterationMicros median step time in microseconds
     * @param busyPermille share of time in which its GPUs were busy, in thousandths
     * @param peakMemoryMib peak memory on one GPU
     */
    public record ResourceUse(long iterationMicros, long busyPermille, long peakMemoryMib) {
        public static final ResourceUse NONE = new ResourceUse(-1, -1, -1);
    }

    /**
     * Checkpoints of the attempt.
     *
     * @param savedBytes size of the latest one
     * @param checkpointEveryMillis median interval of those saved without an order
     * @param savedAtMillis time of the latest one, in milliseconds since the epoch
     * @param canSave 1 when something showed that it saves on its signal, else 0
     */
    public record Checkpoints(long savedBytes, long checkpointEveryMillis, long savedAtMillis, long canSave) {
        public static final Checkpoints NONE = new Checkpoints(-1, -1, -1, 0);
    }

    /**
     * Progress at the end of the attempt.
     *
     * @param step the last step
     * @param savedStep the last step known to be saved
     * @param totalSteps all steps of the job, 0 when unknown
     */
    public record Steps(long step, long savedStep, long totalSteps) {
        public static final Steps NONE = new Steps(-1, -1, 0);
    }

    /**
     * Its suspension in place.
     *
     * @param suspendMillis until its GPUs were free
     * @param resumeMillis how long the resumption took that this attempt began with
     * @param canBeSuspended 1 when it was suspended, 0 when its program can never be
     */
    public record Suspensions(long suspendMillis, long resumeMillis, long canBeSuspended) {
        public static final Suspensions NONE = new Suspensions(-1, -1, -1);

        public Suspensions {
            if (suspendMillis == 0 && resumeMillis == 0 && canBeSuspended == 0) { // of an older version, without these
                suspendMillis = UNKNOWN;
                resumeMillis = UNKNOWN;
                canBeSuspended = UNKNOWN;
            }
        }
    }

    public AttemptMeasurements {
        coRuns = List.copyOf(coRuns);
    }

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** Fills a missing busy share from an earlier report of the same attempt, and keeps the higher peak memory. */
    public AttemptMeasurements orEarlier(@Nullable AttemptMeasurements before) {
        return before == null
                ? this
                : withGpu(
                        busyPermille() < 0 ? before.busyPermille() : busyPermille(),
                        Math.max(before.peakMemoryMib(), peakMemoryMib()));
    }

    public AttemptMeasurements withLoad(LoadTimes measured) {
        return new AttemptMeasurements(measured, preemption, use, checkpoints, steps, suspensions, coRuns);
    }

    public AttemptMeasurements withPreemption(PreemptionTimes measured) {
        return new AttemptMeasurements(load, measured, use, checkpoints, steps, suspensions, coRuns);
    }

    public AttemptMeasurements withUse(ResourceUse measured) {
        return new AttemptMeasurements(load, preemption, measured, checkpoints, steps, suspensions, coRuns);
    }

    public AttemptMeasurements withGpu(long busyPermille, long peakMemoryMib) {
        return withUse(new ResourceUse(use.iterationMicros, busyPermille, peakMemoryMib));
    }

    public AttemptMeasurements withCheckpoints(Checkpoints measured) {
        return new AttemptMeasurements(load, preemption, use, measured, steps, suspensions, coRuns);
    }

    public AttemptMeasurements withSaveAbility(boolean shown) {
        return withCheckpoints(new Checkpoints(
                checkpoints.savedBytes,
                checkpoints.checkpointEveryMillis,
                checkpoints.savedAtMillis,
                shown ? 1 : checkpoints.canSave));
    }

    public AttemptMeasurements withSteps(Steps counted) {
        return new AttemptMeasurements(load, preemption, use, checkpoints, counted, suspensions, coRuns);
    }

    public AttemptMeasurements withSuspensions(Suspensions measured) {
        return new AttemptMeasurements(load, preemption, use, checkpoints, steps, measured, coRuns);
    }

    public AttemptMeasurements withCoRuns(List<CoRunSample> measured) {
        return new AttemptMeasurements(load, preemption, use, checkpoints, steps, suspensions, measured);
    }

    public long startMillis() {
        return load.startMillis;
    }

    public long buildMillis() {
        return load.buildMillis;
    }

    public long restoreMillis() {
        return load.restoreMillis;
    }

    public long warmupMillis() {
        return load.warmupMillis;
    }

    public long loadMillis() {
        return load.loadMillis;
    }

    public long preemptMillis() {
        return preemption.preemptMillis;
    }

    public long saveMillis() {
        return preemption.saveMillis;
    }

    public long keptByPreemption() {
        return preemption.keptByPreemption;
    }

    public long iterationMicros() {
        return use.iterationMicros;
    }

    public long busyPermille() {
        return use.busyPermille;
    }

    public long peakMemoryMib() {
        return use.peakMemoryMib;
    }

    public long savedBytes() {
        return checkpoints.savedBytes;
    }

    public long checkpointEveryMillis() {
        return checkpoints.checkpointEveryMillis;
    }

    public long savedAtMillis() {
        return checkpoints.savedAtMillis;
    }

    public boolean canSave() {
        return checkpoints.canSave > 0;
    }

    public long step() {
        return steps.step;
    }

    public long savedStep() {
        return steps.savedStep;
    }

    public long totalSteps() {
        return steps.totalSteps;
    }
}
