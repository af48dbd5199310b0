package dev.fermata.live.conductor;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.model.Costs;

/**
 * How much the conductor takes on, and what it assumes of jobs nobody measured.
 *
 * @param inbox requests that may wait at once; more are refused as {@code BUSY}
 * @param perCycle requests answered by one commit at most
 * @param jobsPerSubmission jobs of one submission at most
 * @param liveJobs jobs that may be pending or on GPUs at once; more are refused as {@code BUSY}
 * @param imageEveryLines an image of the ledger is kept after so many lines, so that a restart replays no more
 * @param retryMillis first wait after a failed commit; it doubles up to {@code retryMostMillis}
 * @param stuckMillis a cycle that takes longer than this is reported
 * @param costs what pausing and loading a job is taken to cost before anybody knows better
 * @param abandon whether jobs that run where this daemon cannot see them are given up and started anew here
 */
public record ConductorSettings(
        int inbox,
        int perCycle,
        int jobsPerSubmission,
        int liveJobs,
        int imageEveryLines,
        long retryMillis,
        long retryMostMillis,
        long stuckMillis,
        Costs costs,
        GuardMode guard,
        boolean abandon) {
    public static final ConductorSettings DEFAULT = new ConductorSettings(
            4096,
            2048,
            10_000,
            100_000,
            20_000,
            100,
            5_000,
            10_000,
            new Costs(5_000, 10_000, 0, 0),
            GuardMode.PLAN,
            false);

    public ConductorSettings withInbox(int requests) {
        return new ConductorSettings(
                requests,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                costs,
                guard,
                abandon);
    }

    public ConductorSettings withLiveJobs(int jobs) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                jobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                costs,
                guard,
                abandon);
    }

    public ConductorSettings withImageEveryLines(int lines) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                lines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                costs,
                guard,
                abandon);
    }

    public ConductorSettings withGuard(GuardMode mode) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                costs,
                mode,
                abandon);
    }

    public ConductorSettings withCosts(Costs assumed) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                assumed,
                guard,
                abandon);
    }

    public ConductorSettings withAbandon(boolean givenUp) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                stuckMillis,
                costs,
                guard,
                givenUp);
    }

    public ConductorSettings withStuckMillis(long millis) {
        return new ConductorSettings(
                inbox,
                perCycle,
                jobsPerSubmission,
                liveJobs,
                imageEveryLines,
                retryMillis,
                retryMostMillis,
                millis,
                costs,
                guard,
                abandon);
    }
}
