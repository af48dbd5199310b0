package dev.fermata.engine.slurm;

import dev.fermata.live.attempt.AttemptEnd;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.Launch;
import org.jspecify.annotations.Nullable;

/**
 * The raw end of an attempt, from Slurm's state and the files of its supervisor.
 *
 * @param job null where Slurm has forgotten it
 */
record SlurmEnding(
        Launch launch, AttemptFiles files, @Nullable SlurmJob job, boolean unwatched) {

    AttemptEnd of(@Nullable TerminationRequest own, long nowMillis, boolean began) {
        String state = job == null ? "" : job.state();
        Integer code = code(state);
        TerminationRequest request = own == null ? requestOf(state, nowMillis) : withSignal(own);
        boolean lost = code == null && request == null;
        return new AttemptEnd(
                began,
                new AttemptEnd.ExitRecord(code, !lost && !unwatched),
                files.exitCode() == null ? nowMillis : Math.min(nowMillis, files.exitMillis(nowMillis)),
                nowMillis,
                new AttemptEnd.ExitRequest(request, files.wasKilled()),
                new AttemptEnd.MemoryKills(state.equals("OUT_OF_MEMORY") ? 1 : 0, false),
                "",
                own == null ? causeOf(state) : "");
    }

    /** The supervisor's record; else Slurm's, which knows it only for a job that ended by itself. */
    private @Nullable Integer code(String state) {
        return switch (state) {
            case "NODE_FAIL", "BOOT_FAIL", "PREEMPTED", "REVOKED" -> null;
            case "COMPLETED", "FAILED", "OUT_OF_MEMORY" ->
                files.exitCode() == null && job != null ? Integer.valueOf(job.exit()) : files.exitCode();
            default -> files.exitCode();
        };
    }

    private TerminationRequest withSignal(TerminationRequest own) {
        return new TerminationRequest(
                own.cause(), own.requestedMillis(), own.deadlineMillis(), files.signalHandled(launch.ranks()));
    }

    /** What a user or administrator did to the job in Slurm counts like the same order to Fermata. */
    private static @Nullable TerminationRequest requestOf(String state, long nowMillis) {
        return switch (state) {
            case "CANCELLED" -> new TerminationRequest(TerminationCause.KILL, nowMillis, nowMillis, false);
            case "TIMEOUT", "DEADLINE" ->
                new TerminationRequest(TerminationCause.TIME_LIMIT, nowMillis, nowMillis, false);
            default -> null;
        };
    }

    private String causeOf(String state) {
        return switch (state) {
            case "CANCELLED" -> "cancelled in Slurm (job " + id() + "), not by Fermata";
            case "TIMEOUT", "DEADLINE" -> "ended by Slurm at a time limit of Slurm (job " + id() + ")";
            case "NODE_FAIL", "BOOT_FAIL" -> "a node of it failed (Slurm job " + id() + ": " + state + ")";
            case "PREEMPTED", "REVOKED" -> "ended by Slurm for another job (job " + id() + ": " + state + ")";
            case "" -> files.exitCode() == null ? "Slurm has forgotten its job, and it left no exit code" : "";
            default -> "";
        };
    }

    private long id() {
        return job == null ? 0 : job.id();
    }
}
