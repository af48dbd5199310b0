package dev.fermata.core.policy;

import dev.fermata.core.policy.market.Clearing;
import dev.fermata.core.policy.market.SampledMarket;
import dev.fermata.core.policy.whole.Jps;
import java.util.Arrays;
import java.util.List;

/** JPS, the matching market. */
final class JpsEntries {
    private static final SampledMarket.SamplingOptions DEFAULT = SampledMarket.SamplingOptions.DEFAULT;

    static final List<PolicyInfo> ALL = List.of(new PolicyInfo(
            "jps",
            "places the first waiting jobs together: a market decides the number and types of GPUs of each",
            "Liu et al., IEEE TPDS 35(6) 2024 (sampling-based multi-job placement)",
            List.of(PolicyTrait.NEEDS_ESTIMATES, PolicyTrait.SPLITS_WORK),
            List.of(
                    Param.integer("jobs", 10, 1, 64, "waiting jobs considered together"),
                    Param.flag("lookahead", true, "start fewer together where the others do better to wait"),
                    Param.integer("samples", DEFAULT.samples(), 1, 10_000, "divisions of the GPU count considered"),
                    Param.number("alpha", DEFAULT.alpha(), 0, 1, "share of samples near the greedy centre"),
                    Param.number("beta", DEFAULT.beta(), 0, 1, "weight of fairness against mean completion time"),
                    Param.flag("idle", DEFAULT.idle(), "GPUs may be left idle where they would slow a job down"),
                    Param.choice(
                            "market",
                            DEFAULT.method().label(),
                            clearingMethods(),
                            "how the market for GPUs is cleared"),
                    Param.integer(
                            "exact",
                            20_000,
                            0,
                            10_000_000,
                            "placements up to which the best division is searched exactly; 0: samples alone"),
                    Param.seconds(
                            "patience",
                            "24h",
                            0,
                            366 * 86400.0,
                            "a job that has waited this long goes first, and GPUs are kept for it; 0 never"),
                    PolicyParts.guard()),
            s -> new Jps(
                    s.integer("jobs"), s.flag("lookahead"), options(s), s.integer("exact"), s.millis("patience"))));

    private JpsEntries() {}

    private static List<String> clearingMethods() {
        return Arrays.stream(Clearing.ClearingMethod.values())
                .map(Clearing.ClearingMethod::label)
                .toList();
    }

    private static SampledMarket.SamplingOptions options(PolicySettings s) {
        Clearing.ClearingMethod way = Arrays.stream(Clearing.ClearingMethod.values())
                .filter(w -> w.label().equals(s.choice("market")))
                .findFirst()
                .orElseThrow();
        return new SampledMarket.SamplingOptions(
                s.integer("samples"),
                s.number("alpha"),
                s.number("beta"),
                s.flag("idle"),
                way,
                DEFAULT.refreshes(),
                true,
                DEFAULT.trades());
    }
}
