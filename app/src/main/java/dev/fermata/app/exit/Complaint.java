package dev.fermata.app.exit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Something to tell the user in a line or two, with the exit code that goes with it. Never a bug of the program. */
public final class Complaint extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    private Complaint(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** What was typed or read is wrong. */
    public static Complaint invalid(String message) {
        return new Complaint(ExitCode.INVALID, message, null);
    }

    public static Complaint invalid(String message, Throwable cause) {
        return new Complaint(ExitCode.INVALID, message, cause);
    }

    /** The input is fine, but the machine would not do it. */
    public static Complaint failed(String message, Throwable cause) {
        return new Complaint(ExitCode.ERROR, message, cause);
    }

    public static Complaint failed(String message) {
        return new Complaint(ExitCode.ERROR, message, null);
    }

    /** There is no daemon where one was looked for. */
    public static Complaint unreachable(String message, Throwable cause) {
        return new Complaint(ExitCode.UNREACHABLE, message, cause);
    }

    public static Complaint unreachable(String message) {
        return new Complaint(ExitCode.UNREACHABLE, message, null);
    }

    public static Complaint interrupted(String message) {
        return new Complaint(ExitCode.INTERRUPTED, message, null);
    }

    /** Reads input: a refusal by the parser is the user's mistake, not the program's. */
    public static <T> T ifInvalid(Supplier<T> reading) {
        try {
            return reading.get();
        } catch (IllegalArgumentException e) {
            throw invalid(String.valueOf(e.getMessage()), e);
        }
    }

    public int exitCode() {
        return exitCode;
    }
}
