package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * One entry of the catalogue: what a policy does, where it comes from, its parameters, and how to create one.
 *
 * @param traits what holds with any parameters
 * @param byOptions what else holds with these parameters
 */
public record PolicyInfo(
        String name,
        String summary,
        String source,
        List<PolicyTrait> traits,
        List<Param> params,
        Function<PolicySettings, Set<PolicyTrait>> byOptions,
        Function<PolicySettings, Policy> factory) {
    /** A policy whose parameters change none of its traits. */
    public PolicyInfo(
            String name,
            String summary,
            String source,
            List<PolicyTrait> traits,
            List<Param> params,
            Function<PolicySettings, Policy> factory) {
        this(name, summary, source, traits, params, settings -> Set.of(), factory);
    }

    public PolicyInfo {
        traits = List.copyOf(traits);
        params = List.copyOf(params);
    }

    PolicySettings settings(Map<String, String> given) {
        return new PolicySettings(name, params, given);
    }
}
