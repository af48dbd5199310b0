package dev.fermata.core.estimate;

import dev.fermata.core.contract.Outlook;

/**
 * What is expected of a job whose script counts its steps: what is left, and nothing to guess.
 *
 * @param doneMillis work it had done when that was said
 */
public record Counted(long doneMillis, long remainingMillis) implements Outlook {
    /** It is looked at anew when this share of what was left is done. */
    private static final long LOOKS = 16;
    /** And not before so much work: a script that has counted to its end may take its time to save. */
    private static final long LEAST_MILLIS = 500;

    @Override
    public long workPerEndMillis() {
        return remainingMillis;
    }

    @Override
    public long meanMillis() {
        return doneMillis + remainingMillis;
    }

    @Override
    public long untilWorkMillis() {
        return doneMillis + Math.max(LEAST_MILLIS, remainingMillis / LOOKS);
    }

    @Override
    public Stint stint(double worthMillis) {
        return new Stint(1, remainingMillis);
    }

    @Override
    public Counted after(long workMillis) {
        return new Counted(workMillis, Math.max(1, meanMillis() - workMillis));
    }
}
