package dev.fermata.core.policy;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** The values of a policy's parameters: the defaults, and what the caller set instead. */
public final class PolicySettings {
    private final String policy;
    private final Map<String, Param> params = new LinkedHashMap<>();
    private final Map<String, String> given;

    PolicySettings(String policy, Iterable<Param> params, Map<String, String> given) {
        this.policy = policy;
        this.given = given;
        params.forEach(p -> this.params.put(p.name(), p));
        for (String key : given.keySet()) {
            if (!this.params.containsKey(key)) {
                throw new IllegalArgumentException("policy " + policy + " has no parameter '" + key + "'."
                        + Suggestion.didYouMean(key, this.params.keySet()));
            }
            check(key);
        }
    }

    private void check(String key) {
        Param param = param(key);
        if (param.choices().isEmpty()) {
            number(key);
        } else {
            choice(key);
        }
    }

    private Param param(String key) {
        return Objects.requireNonNull(params.get(key), key);
    }

    private String raw(String key) {
        return given.getOrDefault(key, param(key).defaultValue());
    }

    public double number(String key) {
        return param(key).number(policy, raw(key));
    }

    public int integer(String key) {
        return (int) number(key);
    }

    public long millis(String key) {
        return Math.round(number(key) * 1000);
    }

    public boolean flag(String key) {
        return Boolean.parseBoolean(choice(key));
    }

    public String choice(String key) {
        return param(key).choice(policy, raw(key));
    }
}
