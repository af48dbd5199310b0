package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** One line of the catalogue: what a policy does, where it comes from, its knobs, and how to make one. */
public record PolicyInfo(
        String name,
        String summary,
        String source,
        List<Trait> traits,
        List<Param> params,
        Function<Settings, Policy> factory) {
    public PolicyInfo {
        traits = List.copyOf(traits);
        params = List.copyOf(params);
    }

    Settings settings(Map<String, String> given) {
        return new Settings(name, params, given);
    }
}
