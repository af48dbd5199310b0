package dev.fermata.live.progress;

/**
 * How far a program is, as its output shows it.
 *
 * @param current units done
 * @param total units in all, 0 for unknown
 * @param unit {@code step} or {@code epoch}
 * @param unitMicros the recent time of a unit; 0 for unknown
 * @param metricName of the latest metric, mostly {@code loss}; empty for none
 */
public record OutputProgress(
        long current,
        long total,
        String unit,
        Confidence confidence,
        long unitMicros,
        String metricName,
        double metric) {
    /** How sure it is that the total is that of the run. */
    public enum Confidence {
        /** It may be that of an epoch, or of another loop: only shown. */
        LOW,
        /** The output and the command suggest it. */
        MEDIUM,
        /** The output or the command says it. */
        HIGH;

        /** Whether estimates and decisions may rest on it. */
        public boolean isUsable() {
            return this != LOW;
        }
    }

    public static final OutputProgress NONE = new OutputProgress(0, 0, "step", Confidence.LOW, 0, "", Double.NaN);

    /** The length of the run where it is known well enough; else 0. */
    public long usableTotal() {
        return confidence.isUsable() ? total : 0;
    }
}
