package dev.fermata.app.replay;

import dev.fermata.core.policy.Param;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.sim.workload.Rng;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The settings of one policy as points of a cube: each knob is a coordinate from 0 to 1. Knobs whose range spans orders of magnitude
 * are spread by their logarithm around the default. What keeps jobs safe, and what only stirs chance, is not turned.
 */
final class Knobs {
    private static final List<String> LEFT_ALONE = List.of("guard", "seed");
    /** Values this many times above and below the default are tried, as far as the range goes. */
    private static final double FAR = 32;

    private static final MathContext FIGURES = new MathContext(2);

    private final PolicyInfo policy;
    private final Map<String, String> given;
    private final List<Param> turned;

    Knobs(PolicySpec base) {
        this.policy = base.info();
        this.given = given(base.text());
        this.turned = policy.params().stream()
                .filter(param -> !LEFT_ALONE.contains(param.name()))
                .toList();
    }

    private static Map<String, String> given(String text) {
        Map<String, String> given = new LinkedHashMap<>();
        int colon = text.indexOf(':');
        if (colon >= 0) {
            for (String pair : text.substring(colon + 1).split(",", -1)) {
                int equals = pair.indexOf('=');
                given.put(pair.substring(0, equals).strip(), pair.substring(equals + 1).strip());
            }
        }
        return given;
    }

    int count() {
        return turned.size();
    }

    List<String> names() {
        return turned.stream().map(Param::name).toList();
    }

    /** Points that stand in every slice of every coordinate once (a Latin hypercube). */
    List<double[]> spread(int points, Rng rng) {
        List<double[]> all = new ArrayList<>();
        for (int p = 0; p < points; p++) {
            all.add(new double[count()]);
        }
        for (int k = 0; k < count(); k++) {
            List<Integer> slices = new ArrayList<>();
            for (int p = 0; p < points; p++) {
                slices.add((int) (rng.uniform() * (slices.size() + 1)), p);
            }
            for (int p = 0; p < points; p++) {
                all.get(p)[k] = (slices.get(p) + rng.uniform()) / points;
            }
        }
        return all;
    }

    /** The policy with these settings, those that are the default left out. */
    PolicySpec at(double[] point) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Param param : policy.params()) {
            int k = turned.indexOf(param);
            String value = k < 0 ? given.get(param.name()) : value(param, point[k]);
            if (value != null && !value.equals(plain(param.defaultValue()))) {
                values.put(param.name(), value);
            }
        }
        List<String> pairs = new ArrayList<>();
        values.forEach((name, value) -> pairs.add(name + "=" + value));
        return PolicySpec.parse(policy.name() + (pairs.isEmpty() ? "" : ":" + String.join(",", pairs)));
    }

    private static String plain(String defaultValue) {
        return defaultValue.endsWith(".0") ? defaultValue.substring(0, defaultValue.length() - 2) : defaultValue;
    }

    private static String value(Param param, double share) {
        if (!param.choices().isEmpty()) {
            return param.choices().get((int) Math.min(param.choices().size() - 1, share * param.choices().size()));
        }
        double value = number(param, Math.max(0, Math.min(1, share)));
        return param.kind() == Param.Kind.INTEGER
                ? Long.toString(Math.round(value))
                : BigDecimal.valueOf(value).round(FIGURES).stripTrailingZeros().toPlainString()
                        + (param.kind() == Param.Kind.SECONDS ? "s" : "");
    }

    private static double number(Param param, double share) {
        double usual = param.defaultNumber();
        double low = Math.max(param.min(), usual / FAR);
        double high = Math.min(param.max(), usual > 0 ? usual * FAR : param.max());
        double value = low > 0 && high / low > 10
                ? low * StrictMath.pow(high / low, share)
                : low + share * (high - low);
        return Math.max(param.min(), Math.min(param.max(), value));
    }
}
