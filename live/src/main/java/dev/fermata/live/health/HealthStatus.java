package dev.fermata.live.health;

/**
 * The health of a daemon at one moment.
 *
 * @param problem one sentence, empty when there is none
 * @param shadow whether decisions are recorded but never carried out
 * @param recoveryMillis duration of the recovery before this daemon led
 */
public record HealthStatus(
        DaemonPhase phase,
        String problem,
        boolean shadow,
        long recoveryMillis,
        LoopProgress progress,
        QueueLengths queues) {
    /** Phase of a daemon's life. */
    public enum DaemonPhase {
        /** The cluster state is being rebuilt. */
        RECOVERING,
        /** Another daemon leads. */
        STANDBY,
        LEADING,
        /** It leads, and the engine cannot be reached: running jobs continue, nothing is started or paused. */
        ENGINE_UNREACHABLE,
        /** The store cannot be written. */
        DEGRADED,
        STOPPED;

        /** Whether requests are served. */
        public boolean leads() {
            return this == LEADING || this == ENGINE_UNREACHABLE;
        }
    }

    /**
     * Progress of the scheduler loop.
     *
     * @param cycleAgeMillis time since the loop finished a cycle; 0 while it waits for work
     * @param lastSeq number of the last history entry
     */
    public record LoopProgress(long cycles, long cycleAgeMillis, long lastSeq) {}

    /**
     * Numbers of requests and jobs.
     *
     * @param requests requests and engine events in the inbox
     */
    public record QueueLengths(int requests, int pendingJobs, int runningJobs) {}

    public long cycles() {
        return progress.cycles();
    }

    public long cycleAgeMillis() {
        return progress.cycleAgeMillis();
    }

    public long lastSeq() {
        return progress.lastSeq();
    }

    public int queuedRequests() {
        return queues.requests();
    }

    public int pendingJobs() {
        return queues.pendingJobs();
    }

    public int runningJobs() {
        return queues.runningJobs();
    }
}
