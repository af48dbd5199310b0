package dev.fermata.core.contract;

/**
 * What came of the latest tries to suspend a job in place.
 *
 * @param failures failed ones since the last that worked
 * @param retryMillis when it may be tried again
 * @param refused whether its program can never be suspended
 */
public record SuspendTries(int failures, long retryMillis, boolean refused) {
    public static final SuspendTries NONE = new SuspendTries(0, 0, false);

    private static final long FIRST_RETRY_MILLIS = 1_000;
    private static final long LAST_RETRY_MILLIS = 600_000;
    private static final int MAX_DOUBLINGS = 10;

    /** One more has failed: the next is later every time. */
    public SuspendTries failed(long nowMillis, boolean lasting) {
        long delay = Math.min(LAST_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(MAX_DOUBLINGS, failures));
        return new SuspendTries(failures + 1, nowMillis + delay, refused || lasting);
    }
}
