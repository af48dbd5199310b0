package dev.fermata.core.model;

/**
 * How much a job cares to have its GPUs near each other. It is a bound for policies that wait for closer GPUs, never a demand: what a
 * policy would not wait for, it does not wait for because of this.
 *
 * @param enough GPUs as near as this are near enough, closer ones are not waited for
 * @param waitMillis how long it waits for closer GPUs at most, since it entered the queue; {@link #AS_LONG_AS_IT_PAYS} leaves that to
 *     the policy
 */
public record Locality(Tier enough, long waitMillis) {
    public static final long AS_LONG_AS_IT_PAYS = Long.MAX_VALUE / 4;
    /** As the policy sees it. */
    public static final Locality ANY = new Locality(Tier.NODE, AS_LONG_AS_IT_PAYS);

    public Locality {
        Require.that(waitMillis >= 0, "time to wait for closer GPUs (%s ms) must not be negative", waitMillis);
    }

    /** What a job accepts that has waited so long, where the policy alone would have it accept {@code policy}. */
    public Tier accepts(Tier policy, long waitedMillis) {
        if (waitedMillis >= waitMillis) {
            return Tier.NETWORK;
        }
        return policy.compareTo(enough) >= 0 ? policy : enough;
    }

    /** When it accepts more at the latest; {@code policyMillis} is when the policy would have it do so. */
    public long untilMillis(long policyMillis, long queuedMillis) {
        return waitMillis == AS_LONG_AS_IT_PAYS ? policyMillis : Math.min(policyMillis, queuedMillis + waitMillis);
    }
}
