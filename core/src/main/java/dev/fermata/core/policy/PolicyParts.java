package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.BreakEvenDelay;
import dev.fermata.core.policy.place.Consolidate;
import dev.fermata.core.policy.place.DelayScheduling;
import dev.fermata.core.policy.place.FirstFit;
import dev.fermata.core.policy.place.FirstNodeFit;
import dev.fermata.core.policy.place.LeastFragmentation;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.place.RandomPlacement;
import dev.fermata.core.policy.place.ResumingPlacement;
import dev.fermata.core.policy.place.SharingPlacement;
import dev.fermata.core.policy.place.SkewPlacement;
import dev.fermata.core.policy.place.SpreadPlacement;
import dev.fermata.core.policy.preempt.PriorityPreemption;
import dev.fermata.core.policy.preempt.SuspendingPolicy;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Parameters and pieces that many entries of the catalogue share. */
final class PolicyParts {
    static final String GUARD = "guard";
    static final String RELOCATE = "relocate";
    private static final String PLACE = "place";
    private static final String SEED = "seed";
    private static final String SHARE = "share";
    private static final String PATIENCE = "patience";
    /** skew: Tiresias' rule as the Dally authors meant it; skew-slip: as their code has it. */
    private static final List<String> PLACES = List.of(
            "first-fit",
            "best-fit",
            "consolidate",
            "spread",
            "first-node",
            "delay",
            "break-even",
            "skew",
            "skew-slip",
            "random",
            "fgd");

    /** Those under which a job may wait although there are GPUs enough. */
    private static final Set<String> DECLINING =
            Set.of("consolidate", "first-node", "delay", "break-even", "skew", "skew-slip", "random", "fgd");

    private static final int HISTORY_LEASES = 48;
    static final double YEAR_SECONDS = 366 * 86400.0;

    private PolicyParts() {}

    static PolicyInfo composed(
            String name,
            String summary,
            String source,
            List<PolicyTrait> traits,
            String place,
            List<Param> own,
            Function<PolicySettings, Policy> factory) {
        return composed(name, summary, source, traits, place, own, settings -> Set.of(), factory);
    }

    /** @param more traits in addition to those that follow from where jobs go */
    static PolicyInfo composed(
            String name,
            String summary,
            String source,
            List<PolicyTrait> traits,
            String place,
            List<Param> own,
            Function<PolicySettings, Set<PolicyTrait>> more,
            Function<PolicySettings, Policy> factory) {
        List<Param> params = new ArrayList<>(own);
        params.add(Param.choice(PLACE, place, PLACES, "where jobs go"));
        params.add(Param.seconds(
                PATIENCE, "1h", 1, YEAR_SECONDS, "with place=delay: waits for closeness are counted in units of this"));
        params.add(Param.integer(SEED, 1, 0, Integer.MAX_VALUE, "with place=random: seed of the random choices"));
        params.add(Param.integer(SHARE, 1, 1, 100, "jobs that may share one GPU"));
        params.add(guard());
        return new PolicyInfo(name, summary, source, traits, params, s -> placed(s, more.apply(s)), factory);
    }

    private static Set<PolicyTrait> placed(PolicySettings settings, Set<PolicyTrait> more) {
        Set<PolicyTrait> traits = EnumSet.noneOf(PolicyTrait.class);
        traits.addAll(more);
        if (DECLINING.contains(settings.choice(PLACE))) {
            traits.add(PolicyTrait.DECLINES);
        }
        if (settings.integer(SHARE) > 1) {
            traits.add(PolicyTrait.SHARES);
        }
        return traits;
    }

    static Param guard() {
        return Param.flag(GUARD, true, "on a shared GPU never more memory is reserved than it has");
    }

    static final String SUSPEND = "suspend";

    static Param suspend(boolean byDefault) {
        return Param.flag(
                SUSPEND, byDefault, "victims are suspended in place where the engine can and that costs less");
    }

    static Param lease(String defaultValue) {
        return Param.seconds("lease", defaultValue, 1, YEAR_SECONDS, "a started job keeps its GPUs this long");
    }

    static Param relocate() {
        return Param.flag(
                RELOCATE, true, "a job farther apart than it need be is placed again at the end of its lease");
    }

    static Policy preemptive(JobOrder order, PolicySettings settings) {
        return preemptive(order, settings, false);
    }

    static Policy preemptive(JobOrder order, PolicySettings settings, boolean suspends) {
        Policy policy = new ComposedPolicy(
                order, ResumingPlacement.of(placement(settings), suspends), new PriorityPreemption(), false);
        return SuspendingPolicy.of(policy, suspends);
    }

    static Placement placement(PolicySettings settings) {
        int share = settings.integer(SHARE);
        boolean guard = settings.flag(GUARD);
        if (settings.choice(PLACE).equals("random")) {
            return new RandomPlacement(settings.integer(SEED), share, guard);
        }
        if (settings.choice(PLACE).equals("fgd")) {
            return new LeastFragmentation(share, guard);
        }
        Placement alone = switch (settings.choice(PLACE)) {
            case "first-fit" -> new FirstFit();
            case "consolidate" -> new Consolidate();
            case "spread" -> new SpreadPlacement();
            case "break-even" -> new BreakEvenDelay();
            case "delay" ->
                new DelayScheduling(new DelayScheduling.Timers(
                        settings.millis(PATIENCE), DelayScheduling.AUTO, DelayScheduling.AUTO, HISTORY_LEASES, 0));
            case "skew" -> new SkewPlacement(false);
            case "skew-slip" -> new SkewPlacement(true);
            case "first-node" -> new FirstNodeFit();
            default -> new BestFit();
        };
        return share == 1 ? alone : new SharingPlacement(alone, share, guard);
    }
}
