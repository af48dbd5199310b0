package dev.fermata.core.model;

/**
 * How much a job depends on GPUs near each other. It only bounds how long a policy waits for closer GPUs; it never makes a
 * policy wait.
 *
 * @param sufficientTier GPUs as near as this are near enough, closer ones are not waited for
 * @param maxWaitMillis how long it waits for closer GPUs at most, since it entered the queue; {@link #POLICY_DECIDES} leaves that to
 *     the policy
 */
public record Locality(Tier sufficientTier, long maxWaitMillis) {
    public static final long POLICY_DECIDES = Long.MAX_VALUE / 4;
    /** The policy decides. */
    public static final Locality DEFAULT = new Locality(Tier.NODE, POLICY_DECIDES);

    public Locality {
        Require.that(maxWaitMillis >= 0, "time to wait for closer GPUs (%s ms) must not be negative", maxWaitMillis);
    }

    /** What a job accepts after this wait, where the policy alone would make it accept {@code policy}. */
    public Tier acceptedTier(Tier policy, long waitedMillis) {
        if (waitedMillis >= maxWaitMillis) {
            return Tier.NETWORK;
        }
        return policy.compareTo(sufficientTier) >= 0 ? policy : sufficientTier;
    }

    /** When it accepts more at the latest; {@code policyMillis} is when the policy alone would widen it. */
    public long relaxesAtMillis(long policyMillis, long queuedMillis) {
        return maxWaitMillis == POLICY_DECIDES ? policyMillis : Math.min(policyMillis, queuedMillis + maxWaitMillis);
    }
}
