package dev.fermata.core.model;

/**
 * The job array that a job is part of.
 *
 * @param id the id of the array's first job, -1 for a job of no array
 * @param atMost how many jobs of the array may be on GPUs at once; 0 sets no limit
 */
public record Bundle(long id, int index, int atMost) {
    public static final Bundle NONE = new Bundle(-1, 0, 0);

    public Bundle {
        Require.that(atMost >= 0, "array limit (%s) must not be negative", atMost);
    }
}
