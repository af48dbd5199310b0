package dev.fermata.core.model;

/**
 * Whether a job's profile key is unmeasured: the first such job to run is profiled, and the others may wait for that.
 *
 * @param profileKey a number that all jobs with its profile key share, 0 for a job with a known profile
 * @param waitMillis how long after its start the others wait for it at most, if it is the first
 */
public record ProfileFirst(long profileKey, long waitMillis) {
    public static final ProfileFirst NONE = new ProfileFirst(0, 0);

    public ProfileFirst {
        Require.that(waitMillis >= 0, "the wait for a profile (%s ms) must not be negative", waitMillis);
    }

    public boolean isNone() {
        return profileKey == 0;
    }
}
