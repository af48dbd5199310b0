package dev.fermata.core.model;

/**
 * That a job is of a kind of which nobody knows what it needs: the first of them to run shows it, and the others may wait for that.
 *
 * @param kind a number that all jobs of its kind have in common, 0 for a job of which enough is known
 * @param waitMillis how long after its start the others wait for it at most, if it is the first
 */
public record Trial(long kind, long waitMillis) {
    public static final Trial NONE = new Trial(0, 0);

    public Trial {
        Require.that(waitMillis >= 0, "the wait for a profile (%s ms) must not be negative", waitMillis);
    }

    public boolean isNone() {
        return kind == 0;
    }
}
