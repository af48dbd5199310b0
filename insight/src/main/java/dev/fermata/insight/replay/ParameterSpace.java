package dev.fermata.insight.replay;

import dev.fermata.core.policy.Param;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.insight.format.HumanFormat;
import dev.fermata.sim.workload.Rng;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of one policy as points of a cube: each knob is a coordinate from 0 to 1, or {@link #UNCHANGED}. Knobs
 * whose range spans orders of magnitude are spread by their logarithm around the present value. Knobs that protect
 * jobs, or only change random choices, stay as they are.
 */
public final class ParameterSpace {
    private static final List<String> EXCLUDED = List.of("guard", "seed");
    /** The coordinate of a knob that is left where it is. */
    static final double UNCHANGED = Double.NaN;

    /** Values this many times above and below the present one are tried, as far as the range goes. */
    private static final double MAX_FACTOR = 32;

    private static final MathContext FIGURES = new MathContext(2);

    private final PolicyInfo policy;
    private final PolicySpec base;
    private final Map<String, String> given;
    private final List<Param> tunable;

    public ParameterSpace(PolicySpec base) {
        this.base = base;
        this.policy = base.info();
        this.given = given(base.text());
        this.tunable = policy.params().stream()
                .filter(param -> !EXCLUDED.contains(param.name()))
                .toList();
    }

    private static Map<String, String> given(String text) {
        Map<String, String> given = new LinkedHashMap<>();
        int colon = text.indexOf(':');
        if (colon >= 0) {
            for (String pair : text.substring(colon + 1).split(",", -1)) {
                int equals = pair.indexOf('=');
                given.put(
                        pair.substring(0, equals).strip(),
                        pair.substring(equals + 1).strip());
            }
        }
        return given;
    }

    /** The knobs that the search changes. */
    public List<Param> tunable() {
        return tunable;
    }

    /** What a knob is set to, for people. */
    public static String format(PolicySpec policy, Param parameter) {
        return parameter.choices().isEmpty()
                ? HumanFormat.plain(policy.settings().number(parameter.name()))
                        + (parameter.valueType() == Param.ValueType.SECONDS ? " s" : "")
                : policy.settings().choice(parameter.name());
    }

    /** What a knob is set to, as a number: of choices, which of them. */
    public static double numericValue(PolicySpec policy, Param parameter) {
        return parameter.choices().isEmpty()
                ? policy.settings().number(parameter.name())
                : parameter.choices().indexOf(policy.settings().choice(parameter.name()));
    }

    int count() {
        return tunable.size();
    }

    /** Points that cover every slice of every coordinate once (a Latin hypercube). */
    List<double[]> latinHypercube(int points, Rng rng) {
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

    /** The policy with these settings, defaults left out; empty where they contradict each other. */
    Optional<PolicySpec> policyAt(double[] point) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Param param : policy.params()) {
            int k = tunable.indexOf(param);
            String value = k < 0 || Double.isNaN(point[k])
                    ? given.get(param.name())
                    : value(param, Math.max(0, Math.min(1, point[k])));
            if (value != null && !value.equals(normalized(param.defaultValue()))) {
                values.put(param.name(), value);
            }
        }
        List<String> pairs = new ArrayList<>();
        values.forEach((name, value) -> pairs.add(name + "=" + value));
        try {
            return Optional.of(
                    PolicySpec.parse(policy.name() + (pairs.isEmpty() ? "" : ":" + String.join(",", pairs))));
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // each knob is within its limits, but not combined with another one
        }
    }

    private static String normalized(String defaultValue) {
        return defaultValue.endsWith(".0") ? defaultValue.substring(0, defaultValue.length() - 2) : defaultValue;
    }

    private String value(Param param, double share) {
        if (!param.choices().isEmpty()) {
            return param.choices().get((int) Math.min(
                    param.choices().size() - 1.0, share * param.choices().size()));
        }
        BigDecimal value = BigDecimal.valueOf(number(param, share)).round(FIGURES);
        BigDecimal within = value.max(BigDecimal.valueOf(param.min())).min(BigDecimal.valueOf(param.max()));
        return param.valueType() == Param.ValueType.INTEGER
                ? within.setScale(0, RoundingMode.HALF_EVEN).toPlainString()
                : within.stripTrailingZeros().toPlainString()
                        + (param.valueType() == Param.ValueType.SECONDS ? "s" : "");
    }

    private double number(Param param, double share) {
        double typical = base.settings().number(param.name());
        double low = Math.max(param.min(), typical / MAX_FACTOR);
        double high = Math.min(param.max(), typical > 0 ? typical * MAX_FACTOR : param.max());
        return low > 0 && high / low > 10 ? low * StrictMath.pow(high / low, share) : low + share * (high - low);
    }
}
