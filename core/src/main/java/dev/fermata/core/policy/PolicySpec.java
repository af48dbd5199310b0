package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A policy as the user names it: {@code name} or {@code name:key=value,key=value}. Checked when parsed; each
 * {@link #create} makes a fresh policy with an empty memory.
 */
public record PolicySpec(String text, PolicyInfo info, PolicySettings settings) {

    public static PolicySpec parse(String text) {
        int colon = text.indexOf(':');
        PolicyInfo info = PolicyCatalogue.find(name(text));
        Map<String, String> given = new LinkedHashMap<>();
        if (colon >= 0) {
            for (String pair : text.substring(colon + 1).split(",", -1)) {
                int equals = pair.indexOf('=');
                if (equals <= 0) {
                    throw new IllegalArgumentException(
                            "'" + pair + "' in policy '" + text + "' must be written key=value");
                }
                String key = pair.substring(0, equals).strip();
                if (given.put(key, pair.substring(equals + 1).strip()) != null) {
                    throw new IllegalArgumentException("policy '" + text + "' gives '" + key + "' twice");
                }
            }
        }
        PolicySpec spec = new PolicySpec(text.strip(), info, info.settings(given));
        spec.create(); // values that are valid alone may contradict each other
        return spec;
    }

    /** How it is called, without its parameters. */
    public String name() {
        return name(text);
    }

    private static String name(String text) {
        int colon = text.indexOf(':');
        return (colon < 0 ? text : text.substring(0, colon)).strip();
    }

    public Policy create() {
        return info.factory().apply(settings);
    }

    /** Whether GPU memory may never be reserved twice under this policy; true for a policy without that parameter. */
    public boolean memoryGuard() {
        return info.params().stream().noneMatch(param -> param.name().equals(PolicyParts.GUARD))
                || settings.flag(PolicyParts.GUARD);
    }

    /** Whether a gang may get GPUs of several types under this policy. */
    public boolean mixedGangs() {
        return has(PolicyTrait.SPLITS_WORK);
    }

    /** Whether the policy has this trait, always or with these parameters. */
    public boolean has(PolicyTrait trait) {
        return info.traits().contains(trait) || info.byOptions().apply(settings).contains(trait);
    }
}
