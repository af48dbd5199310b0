package dev.fermata.live.profile;

/**
 * Size of a job's memory reservation on shared GPUs: the request of its user, else the measured peak memory of its
 * profile plus a margin. After a reservation was too small, the next one is larger by half.
 */
public final class MemorySizing {
    private static final int MIN_MARGIN_MIB = 256;
    private static final int MIN_HEADROOM_MIB = 512;

    private MemorySizing() {}

    /** Memory of a GPU that is never reserved, for its driver and small excesses: a 64th, at least 512 MiB. */
    public static int headroomMib(int memoryMib) {
        return Math.max(MIN_HEADROOM_MIB, memoryMib / 64);
    }

    /**
     * @param askedMib the user's request, 0 for none
     * @param wholeMib memory of the largest GPU that the job accepts; no reservation is larger
     * @return 0 when the need is unknown: the job then shares no GPU
     */
    public static int reservationMib(int askedMib, ProfileStatistics samples, int wholeMib) {
        long known = askedMib > 0 ? askedMib : learnedMib(samples);
        if (known == 0) {
            return 0;
        }
        if (askedMib - wholeMib > headroomMib(askedMib)) {
            return askedMib; // no GPU has that much: the job is rejected with this figure
        }
        return (int) Math.min(wholeMib, Math.max(known, samples.max(ProfileMetric.FAILED_MEMORY_MIB) * 3 / 2));
    }

    private static long learnedMib(ProfileStatistics samples) {
        Long stated = samples.overrides().get(ProfileMetric.PEAK_MEMORY_MIB);
        if (stated != null) {
            return stated;
        }
        long peak = samples.max(ProfileMetric.PEAK_MEMORY_MIB);
        return peak <= 0 ? 0 : peak + Math.max(MIN_MARGIN_MIB, peak / 20);
    }
}
