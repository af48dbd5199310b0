package dev.fermata.bench.torture;

/**
 * What a simulated job really does, which the daemon cannot know.
 *
 * @param workMillis run time over all attempts
 * @param loadMillis from its begin to its first work
 * @param fails whether its command exits with an error at the end
 * @param saves whether it saves its work and exits when it gets the signal; else it runs until it is killed
 * @param saveMillis how long that takes
 */
record JobScript(long workMillis, long loadMillis, boolean fails, boolean saves, long saveMillis) {
    /** Jobs of the same program save alike; how long they work is their own. */
    static JobScript draw(Chance chance, int program) {
        return new JobScript(
                chance.logUniform(2_000, chance.oneIn(4) ? 14_400_000 : 3_600_000),
                chance.logUniform(50, 60_000),
                chance.oneIn(8),
                program != 0,
                1L << (2 * (program + 2)));
    }
}
