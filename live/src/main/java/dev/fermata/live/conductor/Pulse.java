package dev.fermata.live.conductor;

/**
 * How the daemon is.
 *
 * @param phase RECOVERING until the ledger is rebuilt, STANDBY while another daemon leads, LEADING, DEGRADED while nothing can be
 *     made durable, STOPPED at the end
 * @param cycleAgeMillis since the conductor last finished a cycle or said that it has nothing to do
 * @param trouble one sentence, empty when all is well
 */
public record Pulse(
        Phase phase,
        long cycleAgeMillis,
        long cycles,
        long lastSeq,
        int inbox,
        int pendingJobs,
        int runningJobs,
        long restartMillis,
        boolean shadow,
        String trouble) {
    /** Where the daemon is in its life. */
    public enum Phase {
        RECOVERING,
        STANDBY,
        LEADING,
        DEGRADED,
        STOPPED
    }
}
