package dev.fermata.core.scheduler;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.SuspendTries;
import dev.fermata.core.contract.Suspension;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import org.jspecify.annotations.Nullable;

/** The mutable state of one live job. Only the cluster state writes it; all others see a {@link JobView}. */
final class TrackedJob implements JobView {
    final int slot;
    final long submittedMillis;
    long eligibleTypes;

    /** As it was last described; its id never changes. */
    Job job;

    int[] typesByPreference;
    JobState state = JobState.PENDING;
    int attempt;
    long fifoKeyMillis;
    long queuedMillis;
    long startedMillis;
    long runningMillis;
    long attainedMillis;
    long attainedGpuMillis;
    long savedWorkMillis;
    long peakWorkMillis;
    long speedMicro;
    long speedSinceMillis;
    /** Work of the current attempt up to the last change of speed, in millionths of reference-milliseconds. */
    long attemptWorkMicro;

    int preemptions;
    int outOfMemory;
    /** Failed starts in a row. */
    int startFailures;
    /** After a failed start: when its next attempt may start. */
    long retryAtMillis;
    /** Whether it waits for that. */
    boolean inStartBackoff;
    /** The last attempt whose start failed. */
    int failedStart;
    /** The attempt that started its processes: an earlier one where these were suspended and resumed. */
    int process;
    /** Whether its attempt is being suspended. */
    boolean suspending;
    /** Whether it could not be suspended once; then it is not tried again. */
    SuspendTries suspendTries = SuspendTries.NONE;
    /** Work that is left should its suspended processes be lost. */
    long savedOnDiskMillis;

    long hostMibPerGpu;

    /** Whether the cluster has too few GPUs for it at present, used or not. */
    boolean lacksNodes;

    boolean cancelling;
    boolean onHold;
    boolean changed;

    @Nullable
    Allocation held;

    @Nullable
    Allocation reservation;

    /** Where its processes are suspended, or are being resumed. */
    @Nullable
    Suspension suspension;

    /** The GPUs for which its processes hold host memory. */
    @Nullable
    Allocation hostGpus;

    /** The preemption for it that was last recorded as declined, since it waits; and when. */
    HistoryRecord.@Nullable PreemptionDeclined lastDeclined;

    long lastDeclinedMillis;

    TrackedJob(Job job, int slot, long nowMillis, long eligibleTypes, int[] typesByPreference) {
        this.job = job;
        this.slot = slot;
        this.submittedMillis = nowMillis;
        this.fifoKeyMillis = nowMillis;
        this.queuedMillis = nowMillis;
        this.eligibleTypes = eligibleTypes;
        this.typesByPreference = typesByPreference;
    }

    /** Closes the running span of the current attempt, if one is open. */
    void closeRunningSpan(long nowMillis) {
        if (state == JobState.RUNNING && held != null) {
            attainedMillis += nowMillis - runningMillis;
            attainedGpuMillis += (nowMillis - runningMillis) * held.size();
        }
    }

    /** The running span that was closed when its preemption began goes on. */
    void reopenRunningSpan() {
        attainedMillis -= speedSinceMillis - runningMillis;
        attainedGpuMillis -= (speedSinceMillis - runningMillis) * gpus();
    }

    /** Work in so much of the time that the current attempt ran. */
    long workDuring(long millis, long nowMillis) {
        long elapsed = (state == JobState.PREEMPTING ? speedSinceMillis : nowMillis) - runningMillis;
        double share = state == JobState.STARTING || elapsed <= 0 ? 0 : Math.min(1, (double) millis / elapsed);
        return Math.round(share * (doneWorkMillis(nowMillis) - savedWorkMillis));
    }

    /** The work it was estimated to have done when it had held its GPUs for so long. */
    long estimatedDoneMillis(long heldMillis) {
        return doneWorkMillis(Math.max(speedSinceMillis, startedMillis + heldMillis));
    }

    /** When a leaving job is killed, or no longer suspended, at the latest; its speed is 0 since it was preempted. */
    long killDeadlineMillis() {
        return speedSinceMillis + (suspending ? job.costs().suspend().limitMillis() : job.graceMillis());
    }

    boolean holds(int gpu) {
        return held != null && held.contains(gpu);
    }

    /** Whether it holds one of these GPUs. */
    boolean holdsAnyOf(Allocation gpus) {
        for (int i = 0; held != null && i < held.size(); i++) {
            if (gpus.contains(held.gpu(i))) {
                return true;
            }
        }
        return false;
    }

    /** From now on the attempt progresses at this speed; 0 when it stops. */
    void setSpeed(long nowMillis, long micro) {
        attemptWorkMicro += (nowMillis - speedSinceMillis) * speedMicro;
        speedMicro = micro;
        speedSinceMillis = nowMillis;
    }

    @Override
    public Job job() {
        return job;
    }

    @Override
    public int slot() {
        return slot;
    }

    @Override
    public JobState state() {
        return state;
    }

    @Override
    public int attempt() {
        return attempt;
    }

    @Override
    public long submittedMillis() {
        return submittedMillis;
    }

    @Override
    public long queuedMillis() {
        return queuedMillis;
    }

    @Override
    public long fifoKeyMillis() {
        return fifoKeyMillis;
    }

    @Override
    public long startedMillis() {
        return startedMillis;
    }

    @Override
    public long runningMillis() {
        return runningMillis;
    }

    @Override
    public long attainedMillis(long nowMillis) {
        return attainedMillis + (state == JobState.RUNNING ? nowMillis - runningMillis : 0);
    }

    @Override
    public long attainedGpuMillis(long nowMillis) {
        return attainedGpuMillis
                + (state == JobState.RUNNING && held != null ? (nowMillis - runningMillis) * held.size() : 0);
    }

    @Override
    public long savedWorkMillis() {
        return savedWorkMillis;
    }

    @Override
    public long savedOnDiskMillis() {
        return savedOnDiskMillis;
    }

    @Override
    public long peakWorkMillis() {
        return peakWorkMillis;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return savedWorkMillis + (attemptWorkMicro + (nowMillis - speedSinceMillis) * speedMicro) / Speed.UNIT;
    }

    @Override
    public long speedMicro() {
        return speedMicro;
    }

    @Override
    public int preemptions() {
        return preemptions;
    }

    @Override
    public boolean onHold() {
        return onHold || inStartBackoff || lacksNodes;
    }

    @Override
    public boolean isHeldByUser() {
        return onHold;
    }

    @Override
    public @Nullable Allocation allocation() {
        return held != null ? held : reservation;
    }

    @Override
    public boolean hasReservation() {
        return reservation != null;
    }

    @Override
    public int reservedGpus() {
        return reservation == null ? 0 : reservation.size();
    }

    @Override
    public @Nullable Suspension suspension() {
        return suspension;
    }

    @Override
    public int process() {
        return process;
    }

    @Override
    public boolean isSuspending() {
        return suspending;
    }

    @Override
    public boolean canBeSuspended() {
        return !suspendTries.refused() && job.costs().suspend().possible();
    }

    /**
     * After a failed suspension it runs on until the next try. One that can never be suspended is a victim only if it is known to
     * save.
     */
    @Override
    public long preemptibleFromMillis() {
        Checkpointing saves = job.costs().checkpointing();
        boolean mustStay = suspendTries.refused()
                ? saves != Checkpointing.ON_PREEMPTION
                : saves == Checkpointing.ASSUMED && !job.costs().suspend().possible();
        return mustStay ? Plan.NEVER : Math.max(runningMillis + job.minRuntimeMillis(), suspendTries.retryMillis());
    }

    @Override
    public long eligibleTypes() {
        return eligibleTypes;
    }

    @Override
    public int[] typesByPreference() {
        return typesByPreference;
    }

    @Override
    public String toString() {
        return job.name() + " " + state + " #" + attempt;
    }
}
