package dev.fermata.live.engine.local;

/** What one attempt was seen to do to its GPUs: the memory it holds on the fullest of them, and how busy it keeps them. */
final class GpuUse {
    private static final int UNKNOWN = -1;
    private static final int ENOUGH_LOOKS = 3;

    private int nowMib;
    private int peakMib = UNKNOWN;
    private int looks;
    private long busySum;
    private long busyCount;
    private boolean warned;
    private boolean outgrown;

    /** It was seen to hold so much on one of its GPUs. */
    synchronized void holds(int mib) {
        nowMib = mib;
        looks++;
        peakMib = Math.max(peakMib, mib);
    }

    /** It says that it held so much at most. */
    synchronized void said(int mib) {
        nowMib = Math.max(nowMib, mib);
        peakMib = Math.max(peakMib, mib);
    }

    /** Its GPUs, on which nobody else was, worked for so many thousandths of the last moments. */
    synchronized void busy(int permille) {
        busySum += permille;
        busyCount++;
    }

    synchronized int nowMib() {
        return nowMib;
    }

    /** Whether it was looked at often enough to say what it holds and how busy it is. */
    synchronized boolean seen() {
        return looks >= ENOUGH_LOOKS && busyCount >= ENOUGH_LOOKS;
    }

    /** -1 when nobody looked. */
    synchronized int peakMib() {
        return peakMib;
    }

    /** -1 when nobody looked. */
    synchronized int busyPermille() {
        return busyCount == 0 ? UNKNOWN : (int) Math.max(1, Math.min(1000, busySum / busyCount));
    }

    /** Whether this is the first time that it must be told that it holds more than it promised. */
    synchronized boolean warn() {
        boolean first = !warned;
        warned = true;
        return first;
    }

    synchronized void outgrow() {
        outgrown = true;
    }

    /** Whether it was ended because it held more than it promised. */
    synchronized boolean outgrown() {
        return outgrown;
    }
}
