package dev.fermata.live.ledger;

import dev.fermata.core.measure.Preemption;
import dev.fermata.core.measure.Preemption.Victim;
import dev.fermata.live.ledger.Entry.Outcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Sums over some entries. */
public final class Totals {
    /** By what entries are put together. */
    public enum By {
        /** The day of the decision, UTC. */
        DAY,
        /** The user for whose job others were paused, or were not. */
        USER,
        POLICY,
        /** The queue of the job for which others were paused, or were not. */
        QUEUE
    }

    private final String key;
    private long pauses;
    private long paid;
    private long notPaid;
    private long open;
    private long moved;
    private long declined;
    private long expectedGain;
    private long expectedCost;
    private long gain;
    private long cost;
    private long pauseGpu;
    private long reloadGpu;
    private long lostGpu;

    private Totals(String key) {
        this.key = key;
    }

    /** By key, ascending. */
    public static List<Totals> of(List<Entry> entries, By by) {
        Function<Entry, String> keyOf = switch (by) {
            case DAY ->
                entry -> Instant.ofEpochMilli(entry.atMillis())
                        .atZone(ZoneOffset.UTC)
                        .toLocalDate()
                        .toString();
            case USER -> entry -> entry.beneficiary().user();
            case POLICY -> Entry::policy;
            case QUEUE -> entry -> entry.beneficiary().queue();
        };
        Map<String, Totals> sums = new TreeMap<>();
        entries.forEach(
                entry -> sums.computeIfAbsent(keyOf.apply(entry), Totals::new).add(entry));
        return List.copyOf(sums.values());
    }

    /** Over all of them. */
    public static Totals of(List<Entry> entries) {
        Totals all = new Totals("");
        entries.forEach(all::add);
        return all;
    }

    private void add(Entry entry) {
        paid += entry.outcome() == Outcome.PAID ? 1 : 0;
        notPaid += entry.outcome() == Outcome.NOT_PAID ? 1 : 0;
        open += entry.outcome() == Outcome.OPEN ? 1 : 0;
        moved += entry.outcome() == Outcome.MOVED ? 1 : 0;
        declined += entry.outcome() == Outcome.DECLINED ? 1 : 0;
        Preemption p = entry.preemption();
        if (p == null) {
            return; // it was not done: it cost and gained nothing
        }
        pauses += p.victims().size();
        expectedGain += p.expectedGainMillis();
        expectedCost += p.expectedCostMillis();
        gain += p.gainMillis();
        cost += p.costMillis();
        for (Victim victim : p.victims()) {
            pauseGpu += victim.pauseGpuMillis();
            reloadGpu += Math.max(0, victim.reloadGpuMillis());
            lostGpu += victim.lostGpuMillis();
        }
    }

    /** Empty for the sum of everything. */
    public String key() {
        return key;
    }

    /** Decisions to pause somebody, moves included. */
    public long preemptions() {
        return paid + notPaid + open + moved;
    }

    /** Jobs paused. */
    public long pauses() {
        return pauses;
    }

    public long paid() {
        return paid;
    }

    public long notPaid() {
        return notPaid;
    }

    public long open() {
        return open;
    }

    public long moved() {
        return moved;
    }

    public long declined() {
        return declined;
    }

    public long expectedGainMillis() {
        return expectedGain;
    }

    public long expectedCostMillis() {
        return expectedCost;
    }

    public long gainMillis() {
        return gain;
    }

    public long costMillis() {
        return cost;
    }

    public long pauseGpuMillis() {
        return pauseGpu;
    }

    public long reloadGpuMillis() {
        return reloadGpu;
    }

    public long lostGpuMillis() {
        return lostGpu;
    }

    public long gpuMillis() {
        return pauseGpu + reloadGpu + lostGpu;
    }
}
