package dev.fermata.core.policy.market;

/**
 * Counts of workers by type in one number. Each type has a field with a spare bit on top, so that counts are added and
 * compared with the capacity without unpacking.
 */
final class CountCode {
    private final int[] shift;
    private final long[] mask;
    private final long capacity;
    private final long guards;
    private final boolean fits;

    CountCode(Market market) {
        int types = market.types();
        shift = new int[types];
        mask = new long[types];
        int bits = 0;
        long packed = 0;
        long spare = 0;
        for (int t = 0; t < types; t++) {
            int width = Integer.SIZE - Integer.numberOfLeadingZeros(market.workers(t));
            shift[t] = bits;
            mask[t] = (1L << width) - 1;
            if (bits + width + 1 < Long.SIZE) {
                packed |= (long) market.workers(t) << bits;
                spare |= 1L << (bits + width);
            }
            bits += width + 1;
        }
        capacity = packed;
        guards = spare;
        fits = bits < Long.SIZE;
    }

    /** Whether the counts of this market fit into one number at all. */
    boolean isUsable() {
        return fits;
    }

    long pack(int[] counts) {
        long code = 0;
        for (int t = 0; t < shift.length; t++) {
            code |= (long) counts[t] << shift[t];
        }
        return code;
    }

    int count(long code, int type) {
        return (int) (code >>> shift[type] & mask[type]);
    }

    /** All workers. */
    long capacity() {
        return capacity;
    }

    /** Whether both together are within the capacity. */
    boolean fit(long one, long other) {
        return ((capacity + guards - one - other) & guards) == guards;
    }

    /** What these workers cost at a price for each type. */
    double cost(long code, double[] prices) {
        double cost = 0;
        for (int t = 0; t < prices.length; t++) {
            cost += prices[t] * count(code, t);
        }
        return cost;
    }
}
