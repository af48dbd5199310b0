package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.spec.StoredSpec;
import dev.fermata.live.store.JobRow;
import org.jspecify.annotations.Nullable;

/** A job that has not ended, as the store knows it or will after the next commit. Belongs to the conductor's thread. */
final class LiveJob {
    final long id;
    final String user;
    final long submittedMillis;
    final long arrayId;
    final int arrayIndex;
    /** What it runs, wherever that will be. */
    final Kind family;

    JobSpec spec;
    /** The spec as text: it is written with every change of the job, but hardly ever changes itself. */
    private String specText;

    JobState state = JobState.PENDING;
    int attempt;
    int preemptions;
    long sinceMillis;
    long firstStartMillis = -1;
    long finishedMillis = -1;
    long waitMillis;
    long runMillis;
    boolean onHold;

    @Nullable
    Integer exitCode;

    String detail = "";

    @Nullable
    LiveRun run;

    LiveJob(long id, String user, JobSpec spec, Kind family, long submittedMillis, long arrayId) {
        this.id = id;
        this.user = user;
        this.spec = spec;
        this.specText = StoredSpec.write(spec);
        this.submittedMillis = submittedMillis;
        this.sinceMillis = submittedMillis;
        this.arrayId = arrayId;
        this.arrayIndex = spec.array().index();
        this.family = family;
    }

    /** As it was when its row was last written. */
    LiveJob(JobRow row, Families families) {
        id = row.id();
        user = row.user();
        spec = StoredSpec.read(row.spec());
        specText = row.spec();
        submittedMillis = row.submittedMillis();
        sinceMillis = row.sinceMillis();
        arrayId = row.arrayId();
        arrayIndex = row.arrayIndex();
        family = families.of(spec);
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

    void change(JobSpec other) {
        spec = other;
        specText = StoredSpec.write(other);
    }

    /** Time in the queue and time running are counted when they are over. */
    void enter(JobState next, long nowMillis) {
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
    Allocation held() {
        LiveRun current = run;
        return current != null && state.holdsGpus() ? current.allocation : null;
    }

    JobRow row() {
        Allocation held = held();
        return new JobRow(
                id,
                spec.name(),
                user,
                spec.queue(),
                spec.jobClass().label(),
                spec.maxGpus(),
                spec.priority(),
                state,
                attempt,
                preemptions,
                submittedMillis,
                sinceMillis,
                firstStartMillis,
                finishedMillis,
                waitMillis,
                runMillis,
                held == null ? "" : LiveRun.numbers(held),
                onHold,
                exitCode,
                detail,
                arrayId,
                arrayIndex,
                specText);
    }
}
