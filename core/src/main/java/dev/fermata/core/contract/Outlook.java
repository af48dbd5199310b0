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

    /** The stint from now on that gains most, or loses least, where a completion is worth this much work. */
    Stint stint(double worthMillis);

    /**
     * Running a job for a while.
     *
     * @param chance that it ends meanwhile
     * @param workMillis what it is expected to do meanwhile
     */
    record Stint(double chance, double workMillis) {}
}
