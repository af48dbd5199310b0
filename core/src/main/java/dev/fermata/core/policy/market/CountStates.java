package dev.fermata.core.policy.market;

import java.util.Arrays;

/**
 * The states of one stage: workers in use, the least value that reaches them, and how. A hash table in arrays; states
 * are kept in the order in which they were first reached.
 */
final class CountStates {
    private long[] codes;
    private double[] values;
    private int[] from;
    private int[] option;
    private int[] table;
    private int size;

    CountStates(int expected) {
        int room = Math.max(64, expected);
        codes = new long[room];
        values = new double[room];
        from = new int[room];
        option = new int[room];
        table = new int[Integer.highestOneBit(room) * 4];
        Arrays.fill(table, -1);
    }

    int size() {
        return size;
    }

    long code(int state) {
        return codes[state];
    }

    double value(int state) {
        return values[state];
    }

    /** The state before, by its number in the stage before. */
    int from(int state) {
        return from[state];
    }

    /** The placement that led here. */
    int option(int state) {
        return option[state];
    }

    /** A way to reach a state; kept if it is new or cheaper than the known one. */
    void offer(long code, double value, int before, int by) {
        int at = find(code);
        int state = table[at];
        if (state < 0) {
            if (2 * (size + 1) > table.length) {
                grow();
                at = find(code);
            }
            state = append(code);
            table[at] = state;
        } else if (value >= values[state]) {
            return;
        }
        values[state] = value;
        from[state] = before;
        option[state] = by;
    }

    private int append(long code) {
        if (size == codes.length) {
            codes = Arrays.copyOf(codes, 2 * size);
            values = Arrays.copyOf(values, 2 * size);
            from = Arrays.copyOf(from, 2 * size);
            option = Arrays.copyOf(option, 2 * size);
        }
        codes[size] = code;
        return size++;
    }

    private int find(long code) {
        int mask = table.length - 1;
        int at = (int) ((code * 0x9E3779B97F4A7C15L) >>> 32) & mask;
        while (table[at] >= 0 && codes[table[at]] != code) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        table = new int[2 * table.length];
        Arrays.fill(table, -1);
        for (int state = 0; state < size; state++) {
            table[find(codes[state])] = state;
        }
    }
}
