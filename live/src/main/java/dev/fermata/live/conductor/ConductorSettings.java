package dev.fermata.live.conductor;

import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.model.Costs;
import java.util.function.Consumer;

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
 * @param profileWaitMillis how long jobs wait for the profile of their kind, which the first of them takes; 0 when nobody does
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
        boolean abandon,
        long profileWaitMillis) {
    /** What {@code --profile-first} lets jobs wait. */
    public static final long PROFILE_WAIT_MILLIS = 120_000;

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
            false,
            0);

    public ConductorSettings withInbox(int requests) {
        return changed(draft -> draft.inbox = requests);
    }

    public ConductorSettings withLiveJobs(int jobs) {
        return changed(draft -> draft.liveJobs = jobs);
    }

    public ConductorSettings withImageEveryLines(int lines) {
        return changed(draft -> draft.imageEveryLines = lines);
    }

    public ConductorSettings withGuard(GuardMode mode) {
        return changed(draft -> draft.guard = mode);
    }

    public ConductorSettings withCosts(Costs assumed) {
        return changed(draft -> draft.costs = assumed);
    }

    public ConductorSettings withAbandon(boolean givenUp) {
        return changed(draft -> draft.abandon = givenUp);
    }

    public ConductorSettings withProfileWait(long millis) {
        return changed(draft -> draft.profileWaitMillis = millis);
    }

    public ConductorSettings withStuckMillis(long millis) {
        return changed(draft -> draft.stuckMillis = millis);
    }

    private ConductorSettings changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return draft.settings();
    }

    /** The settings while one of them is changed. */
    private static final class Draft {
        private int inbox;
        private int perCycle;
        private int jobsPerSubmission;
        private int liveJobs;
        private int imageEveryLines;
        private long retryMillis;
        private long retryMostMillis;
        private long stuckMillis;
        private Costs costs;
        private GuardMode guard;
        private boolean abandon;
        private long profileWaitMillis;

        Draft(ConductorSettings from) {
            inbox = from.inbox;
            perCycle = from.perCycle;
            jobsPerSubmission = from.jobsPerSubmission;
            liveJobs = from.liveJobs;
            imageEveryLines = from.imageEveryLines;
            retryMillis = from.retryMillis;
            retryMostMillis = from.retryMostMillis;
            stuckMillis = from.stuckMillis;
            costs = from.costs;
            guard = from.guard;
            abandon = from.abandon;
            profileWaitMillis = from.profileWaitMillis;
        }

        ConductorSettings settings() {
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
                    abandon,
                    profileWaitMillis);
        }
    }
}
