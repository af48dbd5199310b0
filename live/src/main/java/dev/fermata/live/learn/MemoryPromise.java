package dev.fermata.live.learn;

/**
 * How much GPU memory a job is promised where GPUs are shared. What its user says counts as it is; else it is the most that jobs of its
 * kind were seen to hold, and some more. A promise that was once too small is never made again: it grows by half.
 */
public final class MemoryPromise {
    private static final int LEAST_MARGIN_MIB = 256;
    private static final int LEAST_RESERVE_MIB = 512;

    private MemoryPromise() {}

    /** What a real GPU keeps back from promises, for its driver and for jobs that overstep a little: a 64th, at least 512 MiB. */
    public static int reserveMib(int memoryMib) {
        return Math.max(LEAST_RESERVE_MIB, memoryMib / 64);
    }

    /**
     * @param askedMib what its user says that it needs, 0 for nothing
     * @param notes what was noted of its kind
     * @param wholeMib what the largest GPU it may run on has to give; nobody is promised more
     * @return 0 when nobody knows: then it shares with nobody
     */
    public static int mib(int askedMib, Noted notes, int wholeMib) {
        long known = askedMib > 0 ? askedMib : learned(notes);
        if (known == 0) {
            return 0;
        }
        if (askedMib - wholeMib > reserveMib(askedMib)) {
            return askedMib; // no GPU here has that much, and its user shall hear so
        }
        return (int) Math.min(wholeMib, Math.max(known, notes.most(Figure.FAILED_MEMORY_MIB) * 3 / 2));
    }

    private static long learned(Noted notes) {
        Long said = notes.said().get(Figure.PEAK_MEMORY_MIB);
        if (said != null) {
            return said;
        }
        long peak = notes.most(Figure.PEAK_MEMORY_MIB);
        return peak <= 0 ? 0 : peak + Math.max(LEAST_MARGIN_MIB, peak / 20);
    }
}
