package dev.fermata.core.policy.market;

import java.util.Arrays;

/** How many workers of which type each job gets, and the resulting completion times. */
public final class Division {
    private final int[][] counts;
    private final double[] seconds;
    private final double score;

    /** The arrays are taken over. */
    Division(int[][] counts, double[] seconds, double score) {
        this.counts = counts;
        this.seconds = seconds;
        this.score = score;
    }

    public int jobs() {
        return seconds.length;
    }

    /** Workers of a type that a job gets. */
    public int count(int job, int type) {
        return counts[job][type];
    }

    /** Workers by job and type; the caller's own copy. */
    public int[][] counts() {
        return Arrays.stream(counts).map(int[]::clone).toArray(int[][]::new);
    }

    /** Workers of a job, of all types. */
    public int size(int job) {
        return Arrays.stream(counts[job]).sum();
    }

    /** Completion time of a job. */
    public double seconds(int job) {
        return seconds[job];
    }

    public double meanSeconds() {
        return Arrays.stream(seconds).sum() / seconds.length;
    }

    /** What was minimised: the mean completion time, weighed with fairness if requested. */
    public double score() {
        return score;
    }

    /** Jain's index of completion times over those on an equal share; see {@link DivisionObjective}. */
    public double fairness(Market market) {
        return DivisionObjective.jain(market, seconds);
    }
}
