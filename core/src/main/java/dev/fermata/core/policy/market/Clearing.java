package dev.fermata.core.policy.market;

/**
 * Clears the market for workers. Job i needs exactly {@code sizes[i]} of them, type t has {@code capacity[t]}, and one
 * worker of type t is worth {@code worth[i][t]} to job i. Finds the division of greatest total worth (a transportation
 * problem) and prices under which no job prefers other workers.
 */
public interface Clearing {
    /** Worth of a worker that the job may not have. */
    double FORBIDDEN = Double.NEGATIVE_INFINITY;

    /**
     * Fills {@code division[i][t]} and returns whether every job got its size; when not, the division is undefined.
     */
    boolean clear(double[][] worth, int[] sizes, int[] capacity, int[][] division);

    /** What one worker of a type costs after the last clearing, in units of worth; 0 for a type that is not sold out. */
    double price(int type);

    /** The two ways to clear that are on offer. */
    enum ClearingMethod {
        JV("jv"),
        AUCTION("auction");

        private final String label;

        ClearingMethod(String label) {
            this.label = label;
        }

        public String label() {
            return label;
        }

        public Clearing create() {
            return this == JV ? new ShortestPaths() : new Auction();
        }
    }
}
