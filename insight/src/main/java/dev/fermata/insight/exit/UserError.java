package dev.fermata.insight.exit;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An error for the user in a line or two, with its exit code. Never a bug of the program. */
public final class UserError extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int exitCode;

    private UserError(int exitCode, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The input is wrong. */
    public static UserError invalid(String message) {
        return new UserError(ExitCode.INVALID, message, null);
    }

    public static UserError invalid(String message, Throwable cause) {
        return new UserError(ExitCode.INVALID, message, cause);
    }

    /** The input is valid, but the operation failed. */
    public static UserError failed(String message, Throwable cause) {
        return new UserError(ExitCode.ERROR, message, cause);
    }

    public static UserError failed(String message) {
        return new UserError(ExitCode.ERROR, message, null);
    }

    /** No daemon answers at the address. */
    public static UserError unreachable(String message, Throwable cause) {
        return new UserError(ExitCode.UNREACHABLE, message, cause);
    }

    public static UserError unreachable(String message) {
        return new UserError(ExitCode.UNREACHABLE, message, null);
    }

    public static UserError interrupted(String message) {
        return new UserError(ExitCode.INTERRUPTED, message, null);
    }

    /** Reads input: an error of the parser is the user's mistake, not the program's. */
    public static <T> T wrapInvalid(Supplier<T> reading) {
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
