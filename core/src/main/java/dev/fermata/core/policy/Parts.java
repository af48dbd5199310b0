package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.place.AnyNode;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.BreakEven;
import dev.fermata.core.policy.place.Consolidate;
import dev.fermata.core.policy.place.Delay;
import dev.fermata.core.policy.place.FirstFit;
import dev.fermata.core.policy.place.FirstNode;
import dev.fermata.core.policy.place.LeastFragmentation;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.place.Sharing;
import dev.fermata.core.policy.place.Skew;
import dev.fermata.core.policy.place.Spread;
import dev.fermata.core.policy.preempt.Outrank;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Knobs and pieces that many entries of the catalogue share. */
final class Parts {
    static final String GUARD = "guard";
    static final String ANEW = "anew";
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

    private static final int HISTORY = 48;
    static final double YEAR_SECONDS = 366 * 86400.0;

    private Parts() {}

    static PolicyInfo composed(
            String name,
            String summary,
            String source,
            List<Trait> traits,
            String place,
            List<Param> own,
            Function<Settings, Policy> factory) {
        List<Param> params = new ArrayList<>(own);
        params.add(Param.choice(PLACE, place, PLACES, "where jobs go"));
        params.add(Param.seconds(
                PATIENCE, "1h", 1, YEAR_SECONDS, "with place=delay: waits for closeness are counted in units of this"));
        params.add(Param.integer(SEED, 1, 0, Integer.MAX_VALUE, "with place=random: which of all random choices"));
        params.add(Param.integer(SHARE, 1, 1, 100, "jobs that may share one GPU"));
        params.add(guard());
        return new PolicyInfo(name, summary, source, traits, params, factory);
    }

    static Param guard() {
        return Param.flag(GUARD, true, "shared GPUs never promise more memory than they have");
    }

    static Param lease(String defaultValue) {
        return Param.seconds("lease", defaultValue, 1, YEAR_SECONDS, "a started job keeps its GPUs this long");
    }

    static Param anew() {
        return Param.flag(ANEW, true, "a job farther apart than it need be is placed anew at the end of its lease");
    }

    static Policy preemptive(Order order, Settings settings) {
        return new Composed(order, placement(settings), new Outrank(), false);
    }

    static Placement placement(Settings settings) {
        int share = settings.integer(SHARE);
        boolean guard = settings.flag(GUARD);
        if (settings.choice(PLACE).equals("random")) {
            return new AnyNode(settings.integer(SEED), share, guard);
        }
        if (settings.choice(PLACE).equals("fgd")) {
            return new LeastFragmentation(share, guard);
        }
        Placement alone = switch (settings.choice(PLACE)) {
            case "first-fit" -> new FirstFit();
            case "consolidate" -> new Consolidate();
            case "spread" -> new Spread();
            case "break-even" -> new BreakEven();
            case "delay" -> new Delay(new Delay.Timers(settings.millis(PATIENCE), Delay.AUTO, Delay.AUTO, HISTORY, 0));
            case "skew" -> new Skew(false);
            case "skew-slip" -> new Skew(true);
            case "first-node" -> new FirstNode();
            default -> new BestFit();
        };
        return share == 1 ? alone : new Sharing(alone, share, guard);
    }
}
