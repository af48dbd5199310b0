package dev.fermata.live.attempt;

import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import org.jspecify.annotations.Nullable;

/**
 * The meaning of an attempt's end: a pure function of what is known about it.
 *
 * @param terminationRequest the request to exit, null for none
 * @param killed whether it was killed
 * @param code the shell's exit code, or 128 plus the number of the signal; null for unknown
 * @param watched whether a daemon was running when it ended
 * @param reports what its script reported
 * @param exhaustedResource what it ran out of, if that is why it failed
 */
record AttemptEnding(
        @Nullable TerminationRequest terminationRequest,
        boolean killed,
        @Nullable Integer code,
        boolean watched,
        ReportedMilestones reports,
        ExhaustedResource exhaustedResource) {

    AttemptEnding(
            @Nullable TerminationRequest terminationRequest,
            boolean killed,
            @Nullable Integer code,
            boolean watched,
            ReportedMilestones reports) {
        this(terminationRequest, killed, code, watched, reports, ExhaustedResource.NONE);
    }

    /** The same with what it ran out of. */
    AttemptEnding withExhaustedResource(ExhaustedResource known) {
        return new AttemptEnding(terminationRequest, killed, code, watched, reports, known);
    }

    /** A shell's exit code for a signal is this plus its number. */
    private static final int SIGNAL_EXIT_BASE = 128;

    private static final int SAVE_FAILED_CODE = 74;

    /**
     * What an attempt reported, as far as it matters here. Times are -1 until reported.
     *
     * @param helloMillis set if it uses the helper, which also reports saves
     */
    record ReportedMilestones(long helloMillis, long loadedMillis, long savedMillis, boolean finished) {
        static final ReportedMilestones NONE = new ReportedMilestones(-1, -1, -1, false);

        /** The same after another report. */
        ReportedMilestones apply(EngineEvent.JobReport report) {
            long at = report.atMillis();
            return switch (report.type()) {
                case "hello" -> new ReportedMilestones(first(helloMillis, at), loadedMillis, savedMillis, finished);
                case "loaded", "step" ->
                    new ReportedMilestones(helloMillis, first(loadedMillis, at), savedMillis, finished);
                case "saved" -> new ReportedMilestones(helloMillis, loadedMillis, Math.max(savedMillis, at), finished);
                case "finished" -> new ReportedMilestones(helloMillis, loadedMillis, savedMillis, true);
                default -> this;
            };
        }

        private static long first(long known, long now) {
            return known >= 0 ? known : now;
        }
    }

    int signal() {
        return code != null && code > SIGNAL_EXIT_BASE && code <= SIGNAL_EXIT_BASE + 64 ? code - SIGNAL_EXIT_BASE : 0;
    }

    Outcome outcome() {
        if (terminationRequest == null) {
            if (code == null) {
                // Its shim was killed. If a daemon was running, the job did that itself; otherwise the cause is
                // unknown, and it may be retried.
                return watched ? Outcome.FAILED : Outcome.LOST;
            }
            if (code == 0) {
                return Outcome.COMPLETED;
            }
            return exhaustedResource == ExhaustedResource.NONE ? Outcome.FAILED : Outcome.OOM;
        }
        return switch (terminationRequest.cause()) {
            case KILL -> Outcome.CANCELLED;
            case TIME_LIMIT -> Outcome.TIMEOUT;
            case MEMORY_OVERUSE -> reports.finished() && !killed ? Outcome.COMPLETED : Outcome.OOM;
            case PREEMPTION -> preemptionOutcome(terminationRequest);
        };
    }

    private Outcome preemptionOutcome(TerminationRequest requested) {
        if (killed) {
            return Outcome.LOST;
        }
        boolean well = code != null && code == 0;
        if (well && (reports.finished() || !requested.signalHandled())) {
            return Outcome.COMPLETED;
        }
        return requested.signalHandled() && !saveFailed() && !reportedNoSave(requested)
                ? Outcome.PREEMPTED
                : Outcome.LOST;
    }

    /** The helper has an exit code of its own for that. */
    boolean saveFailed() {
        return terminationRequest != null && code != null && code == SAVE_FAILED_CODE;
    }

    /** A reporting job that failed without a reported save after the request did not save. */
    private boolean reportedNoSave(TerminationRequest requested) {
        boolean failed = code == null || code != 0;
        return reports.helloMillis() >= 0 && failed && reports.savedMillis() < requested.requestedMillis();
    }

    /**
     * How its time was spent. {@code load + useful + lost + preempt} is always the time from the start order to its release;
     * without a request to exit, until its command ended, since a late detection is no preemption.
     *
     * @param runEndMillis when its command ended, or {@code releasedMillis} for unknown
     * @param before work of earlier attempts
     * @param intervalMillis it saves by itself this often, 0 for never
     */
    Usage usage(
            long orderedMillis,
            long runEndMillis,
            long releasedMillis,
            EarlierWork before,
            long intervalMillis,
            long speedMicro) {
        long left = Math.max(orderedMillis, releasedMillis);
        long ended = terminationRequest == null
                ? runEndMillis
                : Math.min(terminationRequest.requestedMillis(), runEndMillis);
        ended = clamp(ended, orderedMillis, left);
        long released = terminationRequest == null ? ended : left;
        long loaded = reports.loadedMillis() >= 0
                ? reports.loadedMillis()
                : reports.helloMillis() >= 0 ? ended : orderedMillis;
        loaded = clamp(loaded, orderedMillis, ended);
        long kept = savedUntil(loaded, ended, before.ofSuspended ? 0 : intervalMillis);
        if (before.ofSuspended && kept == loaded && intervalMillis > 0) {
            kept = Math.max(loaded, ended - intervalMillis); // when its processes saved last is not known
        }
        long useful = kept - loaded;
        long earlier = useful > 0 || kept == ended ? before.workMillis : before.onDiskMillis;
        return new Usage(
                loaded - orderedMillis,
                useful,
                ended - kept,
                released - ended,
                0,
                earlier + useful * speedMicro / Speed.UNIT);
    }

    /**
     * Work of earlier attempts.
     *
     * @param onDiskMillis what is left of it should the processes be lost
     * @param ofSuspended whether this attempt resumed their processes
     */
    record EarlierWork(long workMillis, long onDiskMillis, boolean ofSuspended) {}

    /** When an attempt that was suspended was ordered and loaded, and when its suspension began and ended. */
    record SuspendedTimes(long orderedMillis, long loadedMillis, long sinceMillis, long suspendedMillis) {}

    /** How the time of an attempt was spent that was suspended. */
    static Usage usageOfSuspended(SuspendedTimes times, long savedBefore, long speedMicro) {
        long left = Math.max(times.orderedMillis, times.suspendedMillis);
        long since = clamp(times.sinceMillis, times.orderedMillis, left);
        long loaded = clamp(times.loadedMillis, times.orderedMillis, since);
        long useful = since - loaded;
        return new Usage(
                loaded - times.orderedMillis,
                useful,
                0,
                left - since,
                0,
                savedBefore + useful * speedMicro / Speed.UNIT);
    }

    /** What it ran out of: also what it was ended for. */
    ExhaustedResource outOf() {
        return outcome() == Outcome.OOM && terminationRequest != null
                ? ExhaustedResource.GPU_MEMORY
                : exhaustedResource;
    }

    private static long clamp(long value, long low, long high) {
        return Math.max(low, Math.min(value, high));
    }

    /** Until when its work is kept. */
    private long savedUntil(long loaded, long ended, long intervalMillis) {
        Outcome outcome = outcome();
        if (outcome == Outcome.COMPLETED) {
            return ended;
        }
        boolean savedWhenRequested =
                terminationRequest != null && reports.savedMillis() >= terminationRequest.requestedMillis();
        if (outcome == Outcome.PREEMPTED
                && (reports.helloMillis() < 0 || savedWhenRequested || (code != null && code == 0))) {
            return ended;
        }
        if (reports.savedMillis() >= 0) {
            return clamp(reports.savedMillis(), loaded, ended);
        }
        return intervalMillis > 0 ? loaded + (ended - loaded) / intervalMillis * intervalMillis : loaded;
    }
}
