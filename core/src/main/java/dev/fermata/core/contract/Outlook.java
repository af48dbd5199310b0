package dev.fermata.core.contract;

/** What an uncertain estimator expects of a job, beyond one number. All work is in milliseconds on the reference GPU. */
public interface Outlook {
    /**
     * The least expected work per completion over all horizons, the inverse of the Gittins index: what remains where that
     * is certain, and more the less likely the job is to end soon.
     */
    long workPerEndMillis();

    /** What it is expected to need in all, on average. */
    long meanMillis();

    /** The answers hold until the job has done this much work in all. */
    long untilWorkMillis();

    /** Whether it is no more than one number: what remains then falls with every millisecond of work. */
    default boolean certain() {
        return false;
    }

    /** The stint from now on that gains most, or loses least, where a completion is worth this much work. */
    Stint stint(double worthMillis);

    /** The same knowledge applied to the job once it has done this much work in all. */
    default Outlook after(long workMillis) {
        return this;
    }

    /**
     * What it needs in all, with this chance of needing less, given that it has done this much without ending. With a chance drawn
     * evenly from 0 to 1 it is one of the futures that the estimator thinks possible.
     */
    default long wholeMillis(long doneMillis, double chance) {
        return Math.max(doneMillis + 1, meanMillis());
    }

    /**
     * Running a job for a while.
     *
     * @param chance that it ends meanwhile
     * @param workMillis what it is expected to do meanwhile
     */
    record Stint(double chance, double workMillis) {}
}
