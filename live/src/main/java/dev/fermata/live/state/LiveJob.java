package dev.fermata.live.state;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.profile.CommandFingerprints;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.store.JobRow;
import org.jspecify.annotations.Nullable;

/**
 * A job that has not ended, as the store has it after the next commit. Only the scheduler loop's thread reads and
 * writes it.
 */
public final class LiveJob {
    public final long id;
    public final String user;
    final long submittedMillis;
    public final long arrayId;
    final int arrayIndex;
    /** Key of its command and model, on any GPUs. */
    public final ProfileKey programKey;

    public JobSpec spec;
    /** The spec as text, kept because it is written with every change of the job and rarely changes itself. */
    private String specText;

    public JobState state = JobState.PENDING;
    public int attempt;
    public int preemptions;
    public long sinceMillis;
    public long firstStartMillis = -1;
    long finishedMillis = -1;
    long waitMillis;
    public long runMillis;
    public boolean onHold;

    @Nullable
    public Integer exitCode;

    public String detail = "";

    @Nullable
    public LiveAttempt liveAttempt;

    public LiveJob(long id, String user, JobSpec spec, ProfileKey programKey, long submittedMillis, long arrayId) {
        this.id = id;
        this.user = user;
        this.spec = spec;
        this.specText = SpecJson.write(spec);
        this.submittedMillis = submittedMillis;
        this.sinceMillis = submittedMillis;
        this.arrayId = arrayId;
        this.arrayIndex = spec.array().index();
        this.programKey = programKey;
    }

    /** Restores the job from its row. */
    public LiveJob(JobRow row, CommandFingerprints fingerprints) {
        id = row.id();
        user = row.user();
        spec = SpecJson.read(row.spec());
        specText = row.spec();
        submittedMillis = row.submittedMillis();
        sinceMillis = row.sinceMillis();
        arrayId = row.arrayId();
        arrayIndex = row.arrayIndex();
        programKey = fingerprints.keyOf(spec);
        state = row.state();
        attempt = row.attempt();
        preemptions = row.preemptions();
        firstStartMillis = row.firstStartMillis();
        finishedMillis = row.finishedMillis();
        waitMillis = row.waitMillis();
        runMillis = row.runMillis();
        onHold = row.onHold();
        exitCode = row.exitCode();
        detail = row.detail();
    }

    public void update(JobSpec other) {
        spec = other;
        specText = SpecJson.write(other);
    }

    /** Changes the state. Time in the queue and time running are added when the state ends. */
    public void enter(JobState next, long nowMillis) {
        if (state == next) {
            return;
        }
        waitMillis += state == JobState.PENDING ? nowMillis - sinceMillis : 0;
        runMillis += state == JobState.RUNNING ? nowMillis - sinceMillis : 0;
        state = next;
        sinceMillis = nowMillis;
        if (next.isFinal()) {
            finishedMillis = nowMillis;
        }
    }

    /** The GPUs of the current attempt. */
    @Nullable
    Allocation heldGpus() {
        LiveAttempt current = liveAttempt;
        return current != null && state.holdsGpus() ? current.allocation : null;
    }

    public JobRow row() {
        Allocation held = heldGpus();
        return new JobRow(
                id,
                new JobRow.RequestColumns(
                        spec.name(),
                        user,
                        spec.queue(),
                        spec.jobClass().label(),
                        spec.maxGpus(),
                        spec.priority(),
                        arrayId,
                        arrayIndex),
                new JobRow.StatusColumns(
                        state,
                        attempt,
                        preemptions,
                        held == null ? "" : LiveAttempt.gpuList(held),
                        onHold,
                        exitCode,
                        detail),
                new JobRow.TimeColumns(
                        submittedMillis, sinceMillis, firstStartMillis, finishedMillis, waitMillis, runMillis),
                specText);
    }
}
