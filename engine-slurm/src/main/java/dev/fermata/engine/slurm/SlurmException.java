package dev.fermata.engine.slurm;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** A command of Slurm failed; says whether repeating it may help. */
final class SlurmException extends IOException {
    private static final long serialVersionUID = 1;

    /** What Slurm's commands print when the controller cannot be reached, or cannot take a request now. */
    private static final List<String> PASSING = List.of(
            "unable to contact slurm controller",
            "socket timed out",
            "connection refused",
            "connection timed out",
            "communication connection failure",
            "zero bytes were transmitted",
            "temporarily unable",
            "temporarily unavailable",
            "standby",
            "not responding",
            "authentication",
            "munge",
            "job violates accounting/qos policy",
            "unable to establish",
            "no route to host",
            "job/step already completing",
            "transport endpoint");

    private final boolean passing;

    SlurmException(String message, boolean passing) {
        super(message);
        this.passing = passing;
    }

    /** Of a command that exited with an error. */
    static SlurmException of(String command, String error) {
        String text = error.strip();
        String lower = text.toLowerCase(Locale.ROOT);
        return new SlurmException(command + ": " + text, PASSING.stream().anyMatch(lower::contains));
    }

    /** Whether the same command may succeed later. */
    boolean mayPass() {
        return passing;
    }
}
