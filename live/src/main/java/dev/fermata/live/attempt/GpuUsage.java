package dev.fermata.live.attempt;

/** The observed GPU use of one attempt: the memory it holds on its fullest GPU, and the utilisation of its GPUs. */
public final class GpuUsage {
    private static final int UNKNOWN = -1;
    private static final int MIN_SAMPLES = 3;

    private int currentMib;
    private int peakMib = UNKNOWN;
    private int samples;
    private long busySum;
    private long busyCount;
    private boolean warned;

    /** Records memory observed on one of its GPUs. */
    public synchronized void recordMemory(int mib) {
        currentMib = mib;
        samples++;
        peakMib = Math.max(peakMib, mib);
    }

    /** Records its own report of its peak memory. */
    synchronized void recordReportedPeak(int mib) {
        currentMib = Math.max(currentMib, mib);
        peakMib = Math.max(peakMib, mib);
    }

    /** Records the utilisation, in permille, of GPUs that it has alone. */
    public synchronized void recordBusy(int permille) {
        busySum += permille;
        busyCount++;
    }

    synchronized int currentMib() {
        return currentMib;
    }

    /** Whether there are enough samples for memory and utilisation. */
    synchronized boolean hasEnoughSamples() {
        return samples >= MIN_SAMPLES && busyCount >= MIN_SAMPLES;
    }

    /** -1 for unknown. */
    public synchronized int peakMib() {
        return peakMib;
    }

    /** -1 for unknown. */
    public synchronized int busyPermille() {
        return busyCount == 0 ? UNKNOWN : (int) Math.max(1, Math.min(1000, busySum / busyCount));
    }

    /** True the first time that it holds more than its reservation, when a warning is due. */
    synchronized boolean markWarned() {
        boolean first = !warned;
        warned = true;
        return first;
    }
}
