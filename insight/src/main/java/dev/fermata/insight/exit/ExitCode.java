package dev.fermata.insight.exit;

/** The exit codes that scripts rely on. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int ERROR = 1;
    public static final int INVALID = 2;
    public static final int UNREACHABLE = 3;
    public static final int INTERRUPTED = 130;

    private ExitCode() {}
}
