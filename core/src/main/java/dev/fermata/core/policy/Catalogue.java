package dev.fermata.core.policy;

import dev.fermata.core.contract.Policy;
import dev.fermata.core.policy.loop.Composed;
import dev.fermata.core.policy.order.ArrivalOrder;
import dev.fermata.core.policy.order.AttainedOrder;
import dev.fermata.core.policy.order.FairOrder;
import dev.fermata.core.policy.order.GittinsOrder;
import dev.fermata.core.policy.order.LeaseOrder;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.order.ShortestOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.place.Consolidate;
import dev.fermata.core.policy.place.FirstFit;
import dev.fermata.core.policy.place.Placement;
import dev.fermata.core.policy.place.Sharing;
import dev.fermata.core.policy.place.Spread;
import dev.fermata.core.policy.preempt.Outrank;
import dev.fermata.core.policy.whole.EasyBackfill;
import dev.fermata.core.policy.whole.Gandiva;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Every policy by name. Adding one is a line here; the laws are then tested against it without another word. */
public final class Catalogue {
    static final String GUARD = "guard";
    private static final String PLACE = "place";
    private static final String SHARE = "share";
    private static final double YEAR_SECONDS = 366 * 86400.0;

    private static final List<PolicyInfo> ALL = List.of(
            composed(
                    "fifo",
                    "first come, first served; a job that does not fit blocks those behind it",
                    "folklore",
                    List.of(),
                    "best-fit",
                    List.of(),
                    s -> new Composed(new ArrivalOrder(false), placement(s), null, true)),
            composed(
                    "fifo-backfill",
                    "first come, first served with EASY backfilling around one reservation",
                    "Lifka, JSSPP 1995",
                    List.of(Trait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> new EasyBackfill(placement(s))),
            composed(
                    "sjf",
                    "shortest job first among those that fit; nobody is paused",
                    "folklore",
                    List.of(Trait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(Param.flag("block", false, "a job that does not fit blocks those behind it")),
                    s -> new Composed(new ShortestOrder(false), placement(s), null, s.flag("block"))),
            composed(
                    "srtf",
                    "shortest remaining time first; longer jobs are paused for it, whatever the pause costs",
                    "Schrage 1968; the baseline of Xion (IEEE CLOUD 2023)",
                    List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> preemptive(new ShortestOrder(false), s)),
            composed(
                    "srsf",
                    "shortest remaining service (time x GPUs) first, preemptive",
                    "Tiresias (NSDI 2019) calls it SRSF",
                    List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(),
                    s -> preemptive(new ShortestOrder(true), s)),
            composed(
                    "las",
                    "two-dimensional least attained service: jobs sink through queues as their GPU-time grows",
                    "Tiresias (NSDI 2019)",
                    List.of(Trait.PREEMPTIVE),
                    "best-fit",
                    List.of(
                            Param.integer("queues", 2, 1, 16, "number of queues"),
                            Param.seconds(
                                    "threshold", "3250", 1, 1e9, "GPU-seconds at which a job leaves the first queue"),
                            Param.number(
                                    "ratio", 10, 1.01, 1e6, "each further threshold is this many times the one before"),
                            Param.number(
                                    "starvation",
                                    0,
                                    0,
                                    1e6,
                                    "waiting this many times its run time returns a job to the first queue; 0 never")),
                    s -> preemptive(new AttainedOrder(thresholds(s), s.number("starvation")), s)),
            composed(
                    "gittins",
                    "highest Gittins index first over attained GPU-time, learned from jobs that ended",
                    "Gittins 1979; 2D-Gittins in Tiresias (NSDI 2019)",
                    List.of(Trait.PREEMPTIVE, Trait.LEARNS),
                    "best-fit",
                    List.of(),
                    s -> preemptive(new GittinsOrder(), s)),
            composed(
                    "fair",
                    "finish-time fairness: the job most delayed against running alone goes first, leases in between",
                    "after Themis (NSDI 2020)",
                    List.of(Trait.PREEMPTIVE, Trait.NEEDS_ESTIMATES),
                    "best-fit",
                    List.of(lease("20m")),
                    s -> preemptive(new FairOrder(s.millis("lease")), s)),
            new PolicyInfo(
                    "gandiva",
                    "time-slicing with affinity placement; spread jobs move together when room appears",
                    "Gandiva (OSDI 2018) as compared with in Dally (2024)",
                    List.of(Trait.PREEMPTIVE, Trait.MIGRATES),
                    List.of(lease("1h"), guard()),
                    s -> new Gandiva(s.millis("lease"))),
            composed(
                    "consolidate",
                    "never spreads a job that fits closer; time-slicing, most network-hurt first",
                    "the fully consolidated variant in Dally (2024)",
                    List.of(Trait.PREEMPTIVE, Trait.CONSOLIDATES),
                    "consolidate",
                    List.of(lease("1h")),
                    s -> preemptive(new LeaseOrder(s.millis("lease"), true), s)));

    private Catalogue() {}

    public static List<PolicyInfo> all() {
        return ALL;
    }

    public static List<String> names() {
        return ALL.stream().map(PolicyInfo::name).toList();
    }

    public static PolicyInfo find(String name) {
        return ALL.stream()
                .filter(info -> info.name().equals(name))
                .findFirst()
                .orElseThrow(() ->
                        new IllegalArgumentException("unknown policy '" + name + "'." + Suggest.among(name, names())));
    }

    private static PolicyInfo composed(
            String name,
            String summary,
            String source,
            List<Trait> traits,
            String place,
            List<Param> own,
            Function<Settings, Policy> factory) {
        List<Param> params = new ArrayList<>(own);
        params.add(
                Param.choice(PLACE, place, List.of("first-fit", "best-fit", "consolidate", "spread"), "where jobs go"));
        params.add(Param.integer(SHARE, 1, 1, 16, "jobs that may share one GPU"));
        params.add(guard());
        return new PolicyInfo(name, summary, source, traits, params, factory);
    }

    private static Param guard() {
        return Param.flag(GUARD, true, "shared GPUs never promise more memory than they have");
    }

    private static Param lease(String defaultValue) {
        return Param.seconds("lease", defaultValue, 1, YEAR_SECONDS, "a started job keeps its GPUs this long");
    }

    private static Policy preemptive(Order order, Settings settings) {
        return new Composed(order, placement(settings), new Outrank(), false);
    }

    private static Placement placement(Settings settings) {
        Placement alone = switch (settings.choice(PLACE)) {
            case "first-fit" -> new FirstFit();
            case "consolidate" -> new Consolidate();
            case "spread" -> new Spread();
            default -> new BestFit();
        };
        int share = settings.integer(SHARE);
        return share == 1 ? alone : new Sharing(alone, share, settings.flag(GUARD));
    }

    private static long[] thresholds(Settings settings) {
        long[] thresholds = new long[settings.integer("queues") - 1];
        double next = settings.millis("threshold");
        for (int i = 0; i < thresholds.length; i++) {
            thresholds[i] = Math.round(next);
            next *= settings.number("ratio");
        }
        return thresholds;
    }
}
