package dev.fermata.live.ledger;

import dev.fermata.core.measure.Preemption;
import dev.fermata.core.measure.Preemption.Victim;
import dev.fermata.live.ledger.Entry.Outcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

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
    private final Map<Outcome, Long> decisions = new EnumMap<>(Outcome.class);
    private long pauses;
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
    public static Totals of(Stream<Entry> entries) {
        Totals all = new Totals("");
        entries.forEach(all::add);
        return all;
    }

    private void add(Entry entry) {
        decisions.merge(entry.outcome(), 1L, Long::sum);
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

    /** Decisions of which this became. */
    public long count(Outcome outcome) {
        return decisions.getOrDefault(outcome, 0L);
    }

    /** Decisions to pause somebody, moves included. */
    public long preemptions() {
        return decisions.values().stream().mapToLong(Long::longValue).sum() - count(Outcome.DECLINED);
    }

    /** Jobs paused. */
    public long pauses() {
        return pauses;
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
