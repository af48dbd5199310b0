package dev.fermata.insight.input;

import dev.fermata.core.model.GpuType;
import dev.fermata.core.policy.Suggestion;
import dev.fermata.sim.trace.ModelAssignment;
import java.util.List;

/** What jobs of a trace train that name no model, as the user wrote it: {@code rule} draws one, {@code none} leaves it open. */
public record ModelsInput(String text) {
    public static final String RULE = "rule";
    private static final List<String> KNOWN = List.of(RULE, "none");

    public static ModelsInput parse(String text) {
        if (!KNOWN.contains(text)) {
            throw new IllegalArgumentException(
                    "--models (" + text + ") is unknown." + Suggestion.didYouMean(text, KNOWN));
        }
        return new ModelsInput(text);
    }

    ModelAssignment modelAssignment(List<GpuType> types, long seed) {
        return text.equals(RULE) ? ModelAssignment.byRule(types, seed) : ModelAssignment.namedOnly(types);
    }
}
