package dev.fermata.core.scheduler;

/** Bit sets as bare words, for the two places where {@link java.util.BitSet} would be too slow or too large. */
final class Bits {
    private Bits() {}

    /** First set bit in {@code [from, end)}, or -1. */
    static int next(long[] words, int from, int end) {
        if (from >= end) {
            return -1;
        }
        int w = from >>> 6;
        int last = Math.min(words.length - 1, (end - 1) >>> 6);
        if (w > last) {
            return -1;
        }
        long word = words[w] & (-1L << from);
        while (word == 0) {
            if (++w > last) {
                return -1;
            }
            word = words[w];
        }
        int bit = (w << 6) + Long.numberOfTrailingZeros(word);
        return bit < end ? bit : -1;
    }

    /** Last set bit in {@code [0, from]}, or -1. */
    static int previous(long[] words, int from) {
        if (from < 0) {
            return -1;
        }
        int w = Math.min(words.length - 1, from >>> 6);
        long word = words[w];
        if (w == from >>> 6) {
            word &= -1L >>> (63 - (from & 63));
        }
        while (word == 0) {
            if (--w < 0) {
                return -1;
            }
            word = words[w];
        }
        return (w << 6) + 63 - Long.numberOfLeadingZeros(word);
    }

    static void set(long[] words, int bit, boolean value) {
        if (value) {
            words[bit >>> 6] |= 1L << bit;
        } else {
            words[bit >>> 6] &= ~(1L << bit);
        }
    }
}
