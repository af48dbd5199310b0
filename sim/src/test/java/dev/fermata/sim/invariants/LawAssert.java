package dev.fermata.sim.invariants;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Fails a run in which a law is broken, and names what is needed to repeat it. Counts how often each law was applied. */
final class LawAssert {
    private final RandomScenario scenario;
    private final String policy;
    private final Map<String, Integer> applied = new TreeMap<>();

    LawAssert(RandomScenario scenario, String policy) {
        this.scenario = scenario;
        this.policy = policy;
    }

    void require(boolean holds, String law, Object evidence) {
        require(holds, law, () -> String.valueOf(evidence));
    }

    void require(boolean holds, String law, Supplier<String> evidence) {
        applied.merge(law, 1, Integer::sum);
        if (!holds) {
            throw new AssertionError("law broken: " + law + " [seed " + scenario.seed() + ", policy " + policy
                    + ", estimator " + scenario.estimator() + "]: " + evidence.get());
        }
    }

    /** How often each law was applied; a law that never was is missing. */
    Map<String, Integer> applied() {
        return Collections.unmodifiableMap(applied);
    }
}
