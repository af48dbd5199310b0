package dev.fermata.core.model;

/**
 * The job array that a job is part of.
 *
 * @param id the id of the array's first job, -1 for a job of no array
 * @param maxRunning how many jobs of the array may be on GPUs at once; 0 sets no limit
 */
public record JobArray(long id, int index, int maxRunning) {
    public static final JobArray NONE = new JobArray(-1, 0, 0);

    public JobArray {
        Require.that(maxRunning >= 0, "array limit (%s) must not be negative", maxRunning);
    }
}
