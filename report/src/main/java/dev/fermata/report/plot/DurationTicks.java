package dev.fermata.report.plot;

import dev.fermata.insight.format.HumanFormat;
import java.util.ArrayList;
import java.util.List;

/** Round durations for the labels of a scale. */
final class DurationTicks {
    private static final double MINUTE = 60;
    private static final double HOUR = 3600;
    private static final double DAY = 86_400;
    /** Round lengths up to a day; beyond, days are counted in 1, 2 and 5. */
    private static final double[] ROUND = {
        0.001,
        0.002,
        0.005,
        0.01,
        0.02,
        0.05,
        0.1,
        0.2,
        0.5,
        1,
        2,
        5,
        10,
        20,
        30,
        MINUTE,
        2 * MINUTE,
        5 * MINUTE,
        10 * MINUTE,
        20 * MINUTE,
        30 * MINUTE,
        HOUR,
        2 * HOUR,
        4 * HOUR,
        6 * HOUR,
        12 * HOUR,
        DAY
    };
    /** One for each step that people think in. */
    private static final double[] COARSE = {
        0.001, 0.01, 0.1, 1, 10, MINUTE, 10 * MINUTE, HOUR, 6 * HOUR, DAY, 10 * DAY, 100 * DAY, 1000 * DAY, 1e4 * DAY
    };

    private DurationTicks() {}

    /** {@code 10m}, {@code 1h30m}, {@code 2d}: without a second unit that says nothing. */
    static String brief(double seconds) {
        if (seconds == 0) {
            return "0";
        }
        if (seconds < 1) {
            return HumanFormat.plain(seconds * 1000) + "ms";
        }
        return HumanFormat.time(seconds).replaceAll("(?<=[dhm])00[hms]$", "").replaceAll("\\.0s$", "s");
    }

    /** The first round duration that is at least this. */
    static double step(double least) {
        for (double round : ROUND) {
            if (round >= least * (1 - 1e-9)) {
                return round;
            }
        }
        double step = DAY;
        double[] factors = {2, 2.5, 2};
        for (int i = 0; step < least * (1 - 1e-9); i++) {
            step *= factors[i % factors.length];
        }
        return step;
    }

    /** Lengths to label between two on a logarithmic scale: those people think in, finer ones where these are too few. */
    static List<Double> between(double low, double high) {
        List<Double> coarse = within(COARSE, low, high);
        if (coarse.size() >= 3) {
            return coarse;
        }
        List<Double> round = within(ROUND, low, high);
        if (round.size() >= 3) {
            return round;
        }
        double step = step((high - low) / 4);
        List<Double> even = new ArrayList<>();
        for (double v = Math.ceil(low / step) * step; v <= high; v += step) {
            even.add(v);
        }
        return even;
    }

    private static List<Double> within(double[] lengths, double low, double high) {
        List<Double> found = new ArrayList<>();
        for (double length : lengths) {
            if (length >= low * (1 - 1e-9) && length <= high * (1 + 1e-9)) {
                found.add(length);
            }
        }
        return found;
    }
}
