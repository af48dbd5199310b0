package dev.fermata.insight.input;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.core.text.Quantity;
import dev.fermata.sim.engine.Faults;
import java.util.List;
import java.util.Map;

/**
 * What goes wrong with the cluster as the user wrote it: {@code none}, or mean times such as
 * {@code node=30d,gpu=90d,repair=4h,leave=20d,absent=1h,unreachable=5d,silent=10m,foreign=1d,load=1h}.
 */
public record FaultsInput(String text, Faults.FaultRates rates) {
    private static final String LABEL = "--faults";
    private static final List<String> CAUSES = List.of("node", "gpu", "leave", "unreachable", "foreign");
    /** How long each lasts where the user does not say. */
    private static final Map<String, String> DURATIONS =
            Map.of("repair", "4h", "absent", "4h", "silent", "10m", "load", "1h");

    private static final List<String> KEYS =
            List.of("node", "gpu", "repair", "leave", "absent", "unreachable", "silent", "foreign", "load");

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
        boolean something = CAUSES.stream().anyMatch(cause -> mean(pairs, cause) > 0);
        boolean instant = DURATIONS.keySet().stream().anyMatch(key -> mean(pairs, key) == 0);
        if (!something || instant) {
            throw Quantity.invalid(
                    LABEL, text, "must name a time between failures above 0, such as node=30d,gpu=90d,repair=4h");
        }
        return new FaultsInput(
                text,
                new Faults.FaultRates(
                        mean(pairs, "node"),
                        mean(pairs, "gpu"),
                        mean(pairs, "repair"),
                        new Faults.NodeChangeRates(
                                mean(pairs, "leave"),
                                mean(pairs, "absent"),
                                mean(pairs, "unreachable"),
                                mean(pairs, "silent"),
                                mean(pairs, "foreign"),
                                mean(pairs, "load"))));
    }

    private static long mean(Map<String, String> pairs, String key) {
        return Quantity.millis(LABEL + " " + key, pairs.getOrDefault(key, DURATIONS.getOrDefault(key, "0")));
    }
}
