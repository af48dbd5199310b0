package dev.fermata.live.state;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.store.AttemptRow;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The row of the latest attempt of a live job: what its records and the engine's answers add up to. Only the scheduler
 * loop's thread uses it.
 */
public final class LiveAttempt {
    private static final long NO_JOB = -1;
    private static final long REPORT_DELAY_MILLIS = 1_000;

    public final long jobId;
    public final int attempt;
    public final Allocation allocation;
    public final long startedMillis;
    public long runningMillis = -1;
    public long preemptingMillis = -1;
    /** When the engine accepted its start. */
    private long acceptedMillis = -1;

    private String externalId = "";
    private String devices = "";
    private String startAbort = "";
    /** Whether another job shared its GPUs at any time. */
    public boolean coLocated;
    /** When its speed was last reported to the scheduler. */
    public long speedReportedMillis;

    /** Programs that shared its GPUs at that time. */
    @Nullable
    public List<String> speedReportedWith;

    public long beneficiary = NO_JOB;
    private long gainMillis;
    private long costMillis;
    private long endedMillis = -1;
    private @Nullable Outcome outcome;
    private Usage usage = Usage.NONE;
    private EngineEvent.@Nullable AttemptExit exit;
    private String measurements = "";

    /** The measurements that its profile already contains; null for none. */
    @Nullable
    public AttemptMeasurements observed;

    public LiveAttempt(long jobId, int attempt, Allocation allocation, long startedMillis) {
        this.jobId = jobId;
        this.attempt = attempt;
        this.allocation = allocation;
        this.startedMillis = startedMillis;
    }

    /**
     * Run time before the attempt was reported as running. A short delay counts as loading. A longer one means that the
     * script does not report, although other jobs with its profile key do.
     */
    public long unreportedRunMillis(Usage reported, long endedMillis) {
        long stopped = preemptingMillis >= 0 ? preemptingMillis : endedMillis;
        long counted = runningMillis < 0 ? 0 : Math.max(0, stopped - runningMillis);
        long unreported = reported.runMillis() - counted;
        return unreported > REPORT_DELAY_MILLIS ? unreported : 0;
    }

    /** Restores an attempt that holds GPUs from its row. */
    public LiveAttempt(AttemptRow row, Allocation allocation) {
        this(row.jobId(), row.attempt(), allocation, row.startedMillis());
        runningMillis = row.runningMillis();
        preemptingMillis = row.preemptingMillis();
        acceptedMillis = row.place().acceptedMillis();
        externalId = row.place().externalId();
        devices = row.place().devices();
        startAbort = row.place().startAbort();
        beneficiary = row.beneficiary();
        gainMillis = row.gainMillis();
        costMillis = row.costMillis();
        coLocated = allocation.shared(); // whether a job joined it is not stored
        measurements = row.measurements();
    }

    /** The engine has accepted its start; false where that was known. */
    public boolean recordAcceptance(String id, long nowMillis) {
        boolean known = acceptedMillis >= 0 && (id.isEmpty() || id.equals(externalId));
        acceptedMillis = acceptedMillis < 0 ? nowMillis : acceptedMillis;
        externalId = id.isEmpty() ? externalId : id;
        return !known;
    }

    public boolean isAccepted() {
        return acceptedMillis >= 0 || runningMillis >= 0;
    }

    /** The engine has bound these devices, which confirms its start; false where that was known. */
    public boolean recordDevices(List<String> ids) {
        String bound = String.join(",", ids);
        boolean known = bound.equals(devices);
        devices = bound;
        return !known;
    }

    /** Whether its processes are known to have begun. */
    public boolean isConfirmed() {
        return !devices.isEmpty() || runningMillis >= 0;
    }

    /** Its start was not confirmed in time: it is cancelled at the engine, and holds its GPUs until it is gone. */
    public void abortStart(String why) {
        startAbort = why;
    }

    /** Why its start is cancelled; empty where it is not. */
    public String startAbort() {
        return startAbort;
    }

    static String gpuList(Allocation allocation) {
        return Arrays.stream(allocation.toArray()).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    public void recordPreemption(HistoryRecord.Preempting record, long nowMillis) {
        preemptingMillis = nowMillis;
        beneficiary = record.beneficiary();
        gainMillis = record.gainMillis();
        costMillis = record.costMillis();
    }

    /** The attempt is profiled and leaves so that its own job can be placed again. */
    public void recordProfiled(long nowMillis) {
        preemptingMillis = nowMillis;
        beneficiary = jobId;
    }

    /** Its profile has learned from these measurements while the attempt continues. */
    public void recordObserved(AttemptMeasurements soFar, String asText) {
        observed = soFar;
        measurements = asText;
    }

    public void recordEnd(
            HistoryRecord.AttemptEnded record, EngineEvent.@Nullable AttemptExit how, String measured, long nowMillis) {
        endedMillis = nowMillis;
        outcome = record.outcome();
        usage = record.usage();
        exit = how;
        measurements = measured;
    }

    /** Whether it is preempted for another job. */
    public boolean isPreemptedForAnother() {
        return beneficiary != NO_JOB && beneficiary != jobId;
    }

    public AttemptRow row() {
        return new AttemptRow(
                jobId,
                attempt,
                new AttemptRow.AttemptPlace(gpuList(allocation), acceptedMillis, externalId, devices, startAbort),
                new AttemptRow.AttemptTimes(startedMillis, runningMillis, preemptingMillis, endedMillis),
                new AttemptRow.AttemptResult(
                        outcome == null ? "" : outcome.name(),
                        exit == null ? null : exit.code(),
                        exit == null ? 0 : exit.signal(),
                        exit == null ? "" : exit.detail()),
                new AttemptRow.AttemptCosts(
                        usage.loadMillis(),
                        usage.usefulMillis(),
                        usage.lostMillis(),
                        usage.preemptMillis(),
                        usage.savedWorkMillis()),
                new AttemptRow.PreemptionTrade(beneficiary, gainMillis, costMillis),
                measurements);
    }
}
