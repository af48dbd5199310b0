package dev.fermata.live.loop;

import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.live.learning.ProfileSettings;

/**
 * Settings of the scheduler loop; {@link #DEFAULT} has the defaults.
 *
 * @param stuckMillis a longer cycle is logged as stuck
 * @param abandon whether jobs on GPUs that this daemon cannot reach are given up and started again here
 * @param nodeLossMillis how long a node may be unreachable before its attempts count as lost; 0 for ever
 */
public record LoopSettings(
        RequestLimits limits,
        Persistence persistence,
        long stuckMillis,
        GuardMode guard,
        boolean abandon,
        long nodeLossMillis,
        ProfileSettings profiles) {
    /**
     * Bounds on requests and jobs.
     *
     * @param maxQueuedRequests requests in the inbox; more are rejected as {@code BUSY}
     * @param requestsPerCycle requests that one cycle handles
     * @param maxJobsPerSubmission jobs of one submission
     * @param maxLiveJobs jobs that have not ended; more are rejected as {@code BUSY}
     * @param unknownQueues whether jobs may name queues without a rule when other queues have rules
     */
    public record RequestLimits(
            int maxQueuedRequests,
            int requestsPerCycle,
            int maxJobsPerSubmission,
            int maxLiveJobs,
            boolean unknownQueues) {}

    /**
     * How the history is written.
     *
     * @param snapshotEveryEntries a snapshot is saved after this many history entries; a restart replays no more
     * @param backoffMillis first wait after a failed commit; exponential backoff doubles it up to {@code maxBackoffMillis}
     */
    public record Persistence(int snapshotEveryEntries, long backoffMillis, long maxBackoffMillis) {}

    /** How long jobs wait for a profiling run with {@code --profile-first}. */
    public static final long PROFILE_WAIT_MILLIS = 120_000;

    public static final LoopSettings DEFAULT = new LoopSettings(
            new RequestLimits(4096, 2048, 10_000, 100_000, false),
            new Persistence(20_000, 100, 5_000),
            10_000,
            GuardMode.PLAN,
            false,
            0,
            new ProfileSettings(new Costs(5_000, 10_000, 0, 0), 0));

    public int maxQueuedRequests() {
        return limits.maxQueuedRequests();
    }

    public int requestsPerCycle() {
        return limits.requestsPerCycle();
    }

    public int maxJobsPerSubmission() {
        return limits.maxJobsPerSubmission();
    }

    public int maxLiveJobs() {
        return limits.maxLiveJobs();
    }

    public int snapshotEveryEntries() {
        return persistence.snapshotEveryEntries();
    }

    public long backoffMillis() {
        return persistence.backoffMillis();
    }

    public long maxBackoffMillis() {
        return persistence.maxBackoffMillis();
    }

    public Costs assumedCosts() {
        return profiles.assumedCosts();
    }

    public long profileWaitMillis() {
        return profiles.waitMillis();
    }

    public LoopSettings withMaxQueuedRequests(int requests) {
        return withLimits(new RequestLimits(
                requests,
                limits.requestsPerCycle,
                limits.maxJobsPerSubmission,
                limits.maxLiveJobs,
                limits.unknownQueues));
    }

    public LoopSettings withMaxLiveJobs(int jobs) {
        return withLimits(new RequestLimits(
                limits.maxQueuedRequests,
                limits.requestsPerCycle,
                limits.maxJobsPerSubmission,
                jobs,
                limits.unknownQueues));
    }

    public LoopSettings withUnknownQueues(boolean allowed) {
        return withLimits(new RequestLimits(
                limits.maxQueuedRequests,
                limits.requestsPerCycle,
                limits.maxJobsPerSubmission,
                limits.maxLiveJobs,
                allowed));
    }

    private LoopSettings withLimits(RequestLimits other) {
        return new LoopSettings(other, persistence, stuckMillis, guard, abandon, nodeLossMillis, profiles);
    }

    public LoopSettings withSnapshotEveryEntries(int entries) {
        Persistence other = new Persistence(entries, persistence.backoffMillis, persistence.maxBackoffMillis);
        return new LoopSettings(limits, other, stuckMillis, guard, abandon, nodeLossMillis, profiles);
    }

    public LoopSettings withGuard(GuardMode mode) {
        return new LoopSettings(limits, persistence, stuckMillis, mode, abandon, nodeLossMillis, profiles);
    }

    public LoopSettings withAbandon(boolean givenUp) {
        return new LoopSettings(limits, persistence, stuckMillis, guard, givenUp, nodeLossMillis, profiles);
    }

    public LoopSettings withNodeLoss(long millis) {
        return new LoopSettings(limits, persistence, stuckMillis, guard, abandon, millis, profiles);
    }

    public LoopSettings withStuckMillis(long millis) {
        return new LoopSettings(limits, persistence, millis, guard, abandon, nodeLossMillis, profiles);
    }

    /** Unknown programs lose their work when they are preempted, until something shows that they save it. */
    public LoopSettings withCautiousPauses() {
        return withAssumedCosts(assumedCosts().withCheckpointing(Checkpointing.NONE));
    }

    public LoopSettings withAssumedCosts(Costs assumed) {
        return withProfiles(new ProfileSettings(assumed, profiles.waitMillis()));
    }

    public LoopSettings withProfileWait(long millis) {
        return withProfiles(new ProfileSettings(profiles.assumedCosts(), millis));
    }

    private LoopSettings withProfiles(ProfileSettings other) {
        return new LoopSettings(limits, persistence, stuckMillis, guard, abandon, nodeLossMillis, other);
    }
}
