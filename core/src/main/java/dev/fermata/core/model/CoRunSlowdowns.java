package dev.fermata.core.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Slowdowns of pairs of jobs, as {@link SpeedModel} computes them. It remembers them: the formula takes fifty steps. */
public final class CoRunSlowdowns {
    private static final int SLOTS = 1 << 9;

    /** Busy shares by slot; 0 is none, and a newer pair takes the place of an older one. */
    private final double[] owns = new double[SLOTS];

    private final double[] others = new double[SLOTS];
    private final double[] slowdowns = new double[SLOTS];

    /** How many times as long a job takes next to another, or alone. */
    public double of(Profile own, @Nullable Profile other) {
        if (other == null) {
            return 1;
        }
        return own.coRunSlowdown().isEmpty()
                ? of(own.busyShare(), other.busyShare())
                : SpeedModel.coRunSlowdown(own, List.of(other));
    }

    private double of(double own, double other) {
        long hash = (Double.doubleToLongBits(own) * 31 + Double.doubleToLongBits(other)) * 0x9E3779B97F4A7C15L;
        int slot = (int) (hash >>> 55);
        if (owns[slot] != own || others[slot] != other) {
            owns[slot] = own;
            others[slot] = other;
            slowdowns[slot] = SpeedModel.coRunSlowdown(own, other);
        }
        return slowdowns[slot];
    }
}
