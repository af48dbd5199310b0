package dev.fermata.cli.demo;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A job of the demo as it was last seen. */
final class ObservedJob {
    final long id;
    final DemoJob job;

    @Nullable
    Instant submitted;

    @Nullable
    Instant running;

    String state = "PENDING";
    int attempt;
    int gpu = -1;
    int pauses;
    double pauseSeconds;
    /** The last step and loss that it reported. */
    long step;

    double loss = Double.NaN;
    long stepAtStart;
    /** The job it was paused for, -1 for none. */
    long beneficiary = -1;
    /** The jobs that were paused so that it could start, in words. */
    final List<String> victimTexts = new ArrayList<>();
    /** The final loss, digit by digit, and that of an unpaused run of the same training; empty until known. */
    Optional<String> finalLoss = Optional.empty();

    Optional<String> unpausedLoss = Optional.empty();

    ObservedJob(long id, DemoJob job) {
        this.id = id;
        this.job = job;
    }

    String name() {
        return job.name();
    }

    boolean ended() {
        return switch (state) {
            case "COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE" -> true;
            default -> false;
        };
    }

    boolean completed() {
        return state.equals("COMPLETED");
    }

    /** Known only after both have ended. */
    boolean sameAsUnpaused() {
        return finalLoss.isPresent() && finalLoss.equals(unpausedLoss);
    }

    /** From its arrival until it first ran; NaN when it has not. */
    double waitedSeconds() {
        Instant from = submitted;
        Instant to = running;
        return from == null || to == null
                ? Double.NaN
                : Math.max(0, java.time.Duration.between(from, to).toMillis()) / 1000.0;
    }
}
