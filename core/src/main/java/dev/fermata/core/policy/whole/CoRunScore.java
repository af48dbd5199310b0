package dev.fermata.core.policy.whole;

import dev.fermata.core.model.Profile;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * How badly the co-location of two jobs on one GPU goes, out of their active (A) and idle (I) times in an iteration. It
 * has all variants that the Xonar authors tried, by their number. The least score pairs best. Natural logarithms.
 */
public enum CoRunScore {
    /** |Ac - Ij| + |Ic - Aj|. */
    SCORE_1 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(c.active - j.idle) + Math.abs(c.idle - j.active);
        }
    },
    /** |Ic - Aj|. */
    SCORE_2 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(c.idle - j.active);
        }
    },
    /** |(Ac/Ic)(Aj/Ij) - 1|: the one of their final scheduler. */
    SCORE_3 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(c.ratio() * j.ratio() - 1);
        }
    },
    /** |Ac - Ij|. */
    SCORE_4 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(c.active - j.idle);
        }
    },
    /** |(ac - ij) + (ic - aj)| of times normalised by A + I: always 0 up to rounding, so it chooses in order of arrival. */
    SCORE_5 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            double difference = (c.busyShare() - j.idleShare()) + (c.idleShare() - j.busyShare());
            return Math.rint(Math.abs(difference) * 1e9) / 1e9; // rounding must not choose
        }
    },
    /** With x = (Ac/Ic)(Aj/Ij): x - 1 above one, 1/x - 1 below. */
    SCORE_6 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            double x = c.ratio() * j.ratio();
            return x > 1 ? x - 1 : 1 / x - 1;
        }
    },
    /** |ln x|. */
    SCORE_7 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(StrictMath.log(c.ratio() * j.ratio()));
        }
    },
    /** |2 - (ln(Ac/Ic) + 0.4) - (ln(Aj/Ij) + 0.4)|: from their script for another GPU type. */
    SCORE_8 {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return Math.abs(2 - (StrictMath.log(c.ratio()) + 0.4) - (StrictMath.log(j.ratio()) + 0.4));
        }
    },
    /** No pairing: the first slot takes the highest A/I, the others the lowest. */
    NEW {
        @Override
        double of(ActiveIdle c, ActiveIdle j) {
            return j.ratio();
        }
    };

    /** Active and idle milliseconds of an iteration. */
    public record ActiveIdle(double active, double idle) {
        /** A job that never idles is taken to idle this share of an iteration, so that ratios exist. */
        private static final double MIN_SHARE = 0.001;

        public static ActiveIdle of(Profile profile) {
            double busy = Math.min(profile.busyShare(), 1 - MIN_SHARE);
            return new ActiveIdle(profile.iterationMillis() * busy, profile.iterationMillis() * (1 - busy));
        }

        double ratio() {
            return active / idle;
        }

        double busyShare() {
            return active / (active + idle);
        }

        double idleShare() {
            return idle / (active + idle);
        }
    }

    /** Of a running job and one that might join it. */
    abstract double of(ActiveIdle running, ActiveIdle candidate);

    /** As the user names it: {@code 1} to {@code 8}, or {@code new}. */
    public static CoRunScore byName(String name) {
        return Stream.of(values()).filter(s -> s.key().equals(name)).findFirst().orElseThrow();
    }

    public static List<String> names() {
        return Stream.of(values()).map(CoRunScore::key).toList();
    }

    private String key() {
        return name().replace("SCORE_", "").toLowerCase(Locale.ROOT);
    }
}
