package dev.fermata.insight.input;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.engine.Faults;
import java.util.List;
import java.util.Map;

/** Hardware faults as the user wrote them: {@code none}, or mean times {@code node=30d,gpu=90d,repair=4h}. */
public record FaultsInput(String text, Faults.FaultRates rates) {
    private static final String LABEL = "--faults";
    private static final List<String> KEYS = List.of("node", "gpu", "repair");
    private static final String REPAIR_TIME = "4h";

    public static FaultsInput parse(String text) {
        if (text.equals("none")) {
            return new FaultsInput(text, Faults.FaultRates.NONE);
        }
        Map<String, String> pairs = Quantity.keyValues(LABEL, text);
        for (String key : pairs.keySet()) {
            if (!KEYS.contains(key)) {
                throw new IllegalArgumentException(
                        LABEL + " (" + text + ") has no key '" + key + "'." + Suggestion.didYouMean(key, KEYS));
            }
        }
        long node = mean(pairs.getOrDefault("node", "0"), "node");
        long gpu = mean(pairs.getOrDefault("gpu", "0"), "gpu");
        long repair = mean(pairs.getOrDefault("repair", REPAIR_TIME), "repair");
        if ((node == 0 && gpu == 0) || repair == 0) {
            throw Quantity.invalid(
                    LABEL, text, "must name a time between failures above 0, such as node=30d,gpu=90d,repair=4h");
        }
        return new FaultsInput(text, new Faults.FaultRates(node, gpu, repair));
    }

    private static long mean(String text, String key) {
        return Quantity.millis(LABEL + " " + key, text);
    }
}
