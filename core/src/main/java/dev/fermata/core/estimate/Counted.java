package dev.fermata.core.estimate;

import dev.fermata.core.contract.Outlook;

/**
 * What is expected of a job whose script counts its steps: what is left, and nothing to guess.
 *
 * @param doneMillis work it had done when that was said
 */
public record Counted(long doneMillis, long remainingMillis) implements Outlook {
    /** It is not looked at anew before so much work: a script that has counted to its end may take its time to save. */
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
        return doneMillis + Math.max(LEAST_MILLIS, remainingMillis);
    }

    @Override
    public boolean certain() {
        return true;
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
