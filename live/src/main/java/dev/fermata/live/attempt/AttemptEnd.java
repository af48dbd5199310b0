package dev.fermata.live.attempt;

import org.jspecify.annotations.Nullable;

/**
 * The raw end of an attempt as an engine observed it; what it means is decided here, not there.
 *
 * @param began whether its command ever ran
 * @param commandEndMillis when its command ended, or {@code leftMillis} for unknown
 * @param leftMillis when its last process was gone and its GPUs were free
 * @param cleanup what the engine cleaned up, empty for nothing
 * @param cause why there is no exit code, in words, empty where there is one
 */
public record AttemptEnd(
        boolean began,
        ExitRecord exit,
        long commandEndMillis,
        long leftMillis,
        ExitRequest request,
        MemoryKills memoryKills,
        String cleanup,
        String cause) {
    /**
     * The exit code.
     *
     * @param code the shell's exit code, or 128 plus the number of the signal; null for unknown
     * @param watched whether the engine was watching when it ended
     */
    public record ExitRecord(@Nullable Integer code, boolean watched) {}

    /** The request to exit, null for none, and whether force was needed. */
    public record ExitRequest(@Nullable TerminationRequest request, boolean killed) {}

    /**
     * What the kernel killed for lack of memory while the attempt ran.
     *
     * @param ofAttempt how many of its processes, because its own limit was reached
     * @param onMachine whether any process of its machine
     */
    public record MemoryKills(long ofAttempt, boolean onMachine) {
        public static final MemoryKills NONE = new MemoryKills(0, false);
    }

    /** Of an attempt whose command never ran. {@code failed} says whether a retry would fail in the same way. */
    public static AttemptEnd unstarted(
            boolean failed, @Nullable TerminationRequest request, long nowMillis, String cause) {
        return new AttemptEnd(
                false,
                new ExitRecord(null, failed),
                nowMillis,
                nowMillis,
                new ExitRequest(request, false),
                MemoryKills.NONE,
                "",
                cause);
    }
}
