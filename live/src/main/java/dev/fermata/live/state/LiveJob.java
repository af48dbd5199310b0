package dev.fermata.live.state;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.profile.CommandFingerprints;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.spec.JobSize;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.SpecJson;
import dev.fermata.live.store.JobRow;
import org.jspecify.annotations.Nullable;

/**
 * The row of a job that has not ended: a projection. State, attempt, hold and GPUs are those of the scheduler; kept here are
 * only what was submitted and what the records of its history add up to. Only the scheduler loop's thread uses it.
 */
public final class LiveJob {
    /** A longer spec is written again when it is needed: the script is in memory already. */
    private static final int MAX_KEPT_TEXT = 4096;

    public final long id;
    public final String user;
    final long submittedMillis;
    public final long arrayId;
    final int arrayIndex;
    /** Key of its command and model, on any GPUs. */
    public final ProfileKey programKey;

    public JobSpec spec;
    /** The spec as text if it is short; it is written with every change of the job and rarely changes itself. */
    private @Nullable String specText;
    /** What it counts against the budget of live jobs. */
    private final long bytes;

    /** The job of the scheduler; null before its first record, and for a job that ended in the cycle of its submission. */
    private @Nullable JobView view;

    private @Nullable JobState end;
    /** The attempt that the next history entry of this job is about. */
    public int entryAttempt;

    private int preemptions;
    private long sinceMillis;
    private long firstStartMillis = -1;
    private long finishedMillis = -1;
    private long waitMillis;
    private long runMillis;

    @Nullable
    public Integer exitCode;

    public String detail = "";

    /** Whether an attempt showed that it can save its work; the engine shows it again after a restart. */
    public boolean canSave;

    @Nullable
    public LiveAttempt liveAttempt;

    public LiveJob(long id, String user, JobSpec spec, ProfileKey programKey, long submittedMillis, long arrayId) {
        this.id = id;
        this.user = user;
        this.spec = spec;
        this.specText = kept(SpecJson.write(spec));
        this.bytes = JobSize.bytes(spec);
        this.submittedMillis = submittedMillis;
        this.sinceMillis = submittedMillis;
        this.arrayId = arrayId;
        this.arrayIndex = spec.array().index();
        this.programKey = programKey;
    }

    /** Restores what only its row has. */
    public LiveJob(JobRow row, CommandFingerprints fingerprints, JobView view) {
        id = row.id();
        user = row.user();
        spec = SpecJson.read(row.spec());
        specText = kept(row.spec());
        bytes = JobSize.bytes(spec);
        submittedMillis = row.submittedMillis();
        sinceMillis = row.sinceMillis();
        arrayId = row.arrayId();
        arrayIndex = row.arrayIndex();
        programKey = fingerprints.keyOf(spec);
        this.view = view;
        entryAttempt = view.attempt();
        preemptions = row.preemptions();
        firstStartMillis = row.firstStartMillis();
        finishedMillis = row.finishedMillis();
        waitMillis = row.waitMillis();
        runMillis = row.runMillis();
        exitCode = row.exitCode();
        detail = row.detail();
    }

    private static @Nullable String kept(String text) {
        return text.length() <= MAX_KEPT_TEXT ? text : null;
    }

    /** The scheduler has accepted it. */
    public void accept(@Nullable JobView ofScheduler) {
        view = ofScheduler;
    }

    /** What it needs in memory, roughly. */
    public long bytes() {
        return bytes;
    }

    public JobState state() {
        return end != null ? end : view == null ? JobState.PENDING : view.state();
    }

    /** Whether the record of its end is written. */
    public boolean isEnded() {
        return end != null;
    }

    /** Number of its latest attempt; 0 before the first. */
    public int attempt() {
        return view == null ? 0 : view.attempt();
    }

    public boolean isHeldByUser() {
        return view != null && view.isHeldByUser();
    }

    /** Time running up to the end of its last run. */
    public long runMillis() {
        return runMillis;
    }

    public void update(JobSpec other) {
        spec = other;
        specText = kept(SpecJson.write(other));
    }

    /** An attempt begins: the wait ends. */
    public void begin(LiveAttempt attempt) {
        waitMillis += attempt.startedMillis - sinceMillis;
        sinceMillis = attempt.startedMillis;
        firstStartMillis = firstStartMillis < 0 ? attempt.startedMillis : firstStartMillis;
        entryAttempt = attempt.attempt;
        liveAttempt = attempt;
    }

    public void recordRunning(LiveAttempt attempt, long nowMillis) {
        sinceMillis = nowMillis;
        attempt.runningMillis = nowMillis;
    }

    /** It leaves its GPUs from now on, if it did not already. Call it before the attempt records that. */
    public void recordLeaving(LiveAttempt attempt, long nowMillis) {
        if (attempt.preemptingMillis < 0) {
            endRun(attempt, nowMillis);
        }
    }

    /** It does not leave its GPUs after all. */
    public void recordGoingOn(LiveAttempt attempt, long nowMillis) {
        sinceMillis = nowMillis;
        attempt.preemptingMillis = -1;
        preemptions--;
    }

    /** It was preempted for another job. */
    public void countPreemption() {
        preemptions++;
    }

    /** Its attempt has ended. Call it before the attempt records that. */
    public void recordAttemptEnd(LiveAttempt attempt, JobState next, long unreportedRunMillis, long endedMillis) {
        if (attempt.preemptingMillis < 0) {
            endRun(attempt, endedMillis);
        }
        sinceMillis = endedMillis;
        runMillis += unreportedRunMillis;
        recordEnd(next, endedMillis);
    }

    private void endRun(LiveAttempt attempt, long nowMillis) {
        runMillis += attempt.runningMillis < 0 ? 0 : nowMillis - sinceMillis;
        sinceMillis = nowMillis;
    }

    /** It ended while it was pending. */
    public void endPending(JobState how, long nowMillis) {
        waitMillis += nowMillis - sinceMillis;
        sinceMillis = nowMillis;
        recordEnd(how, nowMillis);
    }

    private void recordEnd(JobState next, long nowMillis) {
        if (next.isFinal()) {
            end = next;
            finishedMillis = nowMillis;
        }
    }

    /** When the current attempt ended, which may be before this daemon started. */
    public long endMillis(long reportedMillis, long nowMillis) {
        return reportedMillis < 0 ? nowMillis : Math.min(nowMillis, Math.max(sinceMillis, reportedMillis));
    }

    /** The GPUs of the current attempt. */
    @Nullable
    Allocation heldGpus() {
        return view != null && state().holdsGpus() ? view.allocation() : null;
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
                        end == null && view != null ? view.shownState() : state(),
                        attempt(),
                        preemptions,
                        held == null ? "" : LiveAttempt.gpuList(held),
                        isHeldByUser(),
                        exitCode,
                        detail),
                new JobRow.TimeColumns(
                        submittedMillis, sinceMillis, firstStartMillis, finishedMillis, waitMillis, runMillis),
                specText == null ? SpecJson.write(spec) : specText);
    }
}
