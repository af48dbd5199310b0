package dev.fermata.insight.input;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.engine.ModelError;
import java.util.List;
import java.util.Map;

/** Model errors as the user wrote them: {@code none}, {@code measured}, or some of them, {@code types=0.2,network=1}. */
public record ModelErrorInput(String text, ModelError error) {
    public static final String NONE = "none";
    private static final String LABEL = "--model-error";
    private static final List<String> KEYS = List.of("types", "placement", "corun", "corun-bias", "costs", "network");
    private static final double MAX_SIGMA = 2;

    public static ModelErrorInput parse(String text) {
        if (text.equals(NONE)) {
            return new ModelErrorInput(text, ModelError.NONE);
        }
        if (text.equals("measured")) {
            return new ModelErrorInput(text, ModelError.MEASURED);
        }
        if (!text.contains("=")) {
            throw Quantity.invalid(
                    LABEL, text, "must be none, measured, or errors such as types=0.3,corun=0.15,network=1");
        }
        Map<String, String> pairs = Quantity.keyValues(LABEL, text);
        for (String key : pairs.keySet()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        LABEL + " (" + text + ") has no key '" + key + "'." + Suggestion.didYouMean(key, KEYS));
            }
        }
        return new ModelErrorInput(
                text,
                new ModelError(
                        number(pairs, "types", 0, MAX_SIGMA),
                        number(pairs, "placement", 0, MAX_SIGMA),
                        number(pairs, "corun", 0, MAX_SIGMA),
                        number(pairs, "corun-bias", -MAX_SIGMA, MAX_SIGMA),
                        number(pairs, "costs", 0, MAX_SIGMA),
                        number(pairs, "network", 0, 1)));
    }

    private static double number(Map<String, String> pairs, String key, double min, double max) {
        return Quantity.number(LABEL + " " + key, pairs.getOrDefault(key, "0"), min, max);
    }

    public boolean isNone() {
        return error.equals(ModelError.NONE);
    }

    /** What a title says after other assumptions; nothing where there is no error. */
    public String suffix() {
        return isNone() ? "" : ", model error " + text;
    }
}
