package dev.fermata.core.cycle;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import org.jspecify.annotations.Nullable;

/** The ledger's mutable page about one live job. Only the ledger writes; everyone else sees a {@link JobView}. */
final class JobRecord implements JobView {
    final int slot;
    final long submittedMillis;
    long eligibleTypes;

    /** As it was last described; its id never changes. */
    Job job;

    int[] typesByPreference;
    JobState state = JobState.PENDING;
    int attempt;
    long ticketMillis;
    long queuedMillis;
    long startedMillis;
    long runningMillis;
    long attainedMillis;
    long attainedGpuMillis;
    long savedWorkMillis;
    long mostWorkMillis;
    long paceMicro;
    long paceSinceMillis;
    /** Work of the current attempt up to the last change of pace, in millionths of reference-milliseconds. */
    long attemptWorkMicro;

    int preemptions;
    int outOfMemory;
    boolean cancelling;
    boolean onHold;
    boolean changed;

    @Nullable
    Allocation held;

    @Nullable
    Allocation promise;

    /** What was last written down about pausing others for it, since it waits; and when. */
    Fact.@Nullable Refrained refrained;

    long refrainedMillis;

    JobRecord(Job job, int slot, long nowMillis, long eligibleTypes, int[] typesByPreference) {
        this.job = job;
        this.slot = slot;
        this.submittedMillis = nowMillis;
        this.ticketMillis = nowMillis;
        this.queuedMillis = nowMillis;
        this.eligibleTypes = eligibleTypes;
        this.typesByPreference = typesByPreference;
    }

    /** Closes the running span of the current attempt, if one is open. */
    void stopProgress(long nowMillis) {
        if (state == JobState.RUNNING && held != null) {
            attainedMillis += nowMillis - runningMillis;
            attainedGpuMillis += (nowMillis - runningMillis) * held.size();
        }
    }

    /** Work in so much of the time that the current attempt ran. */
    long workIn(long millis, long nowMillis) {
        long ran = (state == JobState.PAUSING ? paceSinceMillis : nowMillis) - runningMillis;
        double share = state == JobState.STARTING || ran <= 0 ? 0 : Math.min(1, (double) millis / ran);
        return Math.round(share * (doneWorkMillis(nowMillis) - savedWorkMillis));
    }

    /** What it was thought to have done when it had held its GPUs for so long; what it may have done since is another matter. */
    long thoughtDoneMillis(long heldMillis) {
        return doneWorkMillis(Math.max(paceSinceMillis, startedMillis + heldMillis));
    }

    /** When a job that was asked to leave is stopped at the latest; its pace ended when it was asked. */
    long goneByMillis() {
        return paceSinceMillis + job.graceMillis();
    }

    /** Whether it holds one of these GPUs. */
    boolean isOn(Allocation gpus) {
        for (int i = 0; held != null && i < held.size(); i++) {
            if (gpus.contains(held.gpu(i))) {
                return true;
            }
        }
        return false;
    }

    /** From now on the attempt progresses at this pace; 0 when it stops. */
    void pace(long nowMillis, long micro) {
        attemptWorkMicro += (nowMillis - paceSinceMillis) * paceMicro;
        paceMicro = micro;
        paceSinceMillis = nowMillis;
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
    public long ticketMillis() {
        return ticketMillis;
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
    public long mostWorkMillis() {
        return mostWorkMillis;
    }

    @Override
    public long doneWorkMillis(long nowMillis) {
        return savedWorkMillis + (attemptWorkMicro + (nowMillis - paceSinceMillis) * paceMicro) / Pace.UNIT;
    }

    @Override
    public long paceMicro() {
        return paceMicro;
    }

    @Override
    public int preemptions() {
        return preemptions;
    }

    @Override
    public boolean onHold() {
        return onHold;
    }

    @Override
    public @Nullable Allocation allocation() {
        return held != null ? held : promise;
    }

    @Override
    public boolean promised() {
        return promise != null;
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
