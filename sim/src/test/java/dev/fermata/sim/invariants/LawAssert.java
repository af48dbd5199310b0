package dev.fermata.sim.invariants;

/** Fails a run in which a law is broken, and names what is needed to repeat it. */
record LawAssert(RandomScenario scenario, String policy) {
    void require(boolean holds, String law, Object evidence) {
        if (!holds) {
            throw new AssertionError("law broken: " + law + " [seed " + scenario.seed() + ", policy " + policy
                    + ", estimator " + scenario.estimator() + "]: " + evidence);
        }
    }
}
