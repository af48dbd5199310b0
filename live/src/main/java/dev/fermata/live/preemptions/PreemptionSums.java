package dev.fermata.live.preemptions;

import dev.fermata.core.measure.PreemptionResult;
import dev.fermata.core.measure.PreemptionResult.VictimResult;
import dev.fermata.live.preemptions.PreemptionLogEntry.DecisionOutcome;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Sums over preemption log entries. */
public final class PreemptionSums {
    /** How entries are grouped. */
    public enum GroupBy {
        /** The day of the decision, UTC. */
        DAY,
        /** The user of the beneficiary. */
        USER,
        POLICY,
        /** The queue of the beneficiary. */
        QUEUE
    }

    private final String key;
    private final Map<DecisionOutcome, Long> decisions = new EnumMap<>(DecisionOutcome.class);
    private long preemptedJobs;
    private long expectedGain;
    private long expectedCost;
    private long gain;
    private long cost;
    private long preemptGpu;
    private long reloadGpu;
    private long lostGpu;

    private PreemptionSums(String key) {
        this.key = key;
    }

    /** By key, ascending. */
    public static List<PreemptionSums> of(List<PreemptionLogEntry> entries, GroupBy by) {
        Function<PreemptionLogEntry, String> keyOf = switch (by) {
            case DAY ->
                entry -> Instant.ofEpochMilli(entry.atMillis())
                        .atZone(ZoneOffset.UTC)
                        .toLocalDate()
                        .toString();
            case USER -> entry -> entry.beneficiary().user();
            case POLICY -> PreemptionLogEntry::policy;
            case QUEUE -> entry -> entry.beneficiary().queue();
        };
        Map<String, PreemptionSums> sums = new TreeMap<>();
        entries.forEach(entry ->
                sums.computeIfAbsent(keyOf.apply(entry), PreemptionSums::new).add(entry));
        return List.copyOf(sums.values());
    }

    /** Over all of them. */
    public static PreemptionSums of(Stream<PreemptionLogEntry> entries) {
        PreemptionSums all = new PreemptionSums("");
        entries.forEach(all::add);
        return all;
    }

    PreemptionSums copy() {
        PreemptionSums copy = new PreemptionSums(key);
        copy.decisions.putAll(decisions);
        copy.preemptedJobs = preemptedJobs;
        copy.expectedGain = expectedGain;
        copy.expectedCost = expectedCost;
        copy.gain = gain;
        copy.cost = cost;
        copy.preemptGpu = preemptGpu;
        copy.reloadGpu = reloadGpu;
        copy.lostGpu = lostGpu;
        return copy;
    }

    void add(PreemptionLogEntry entry) {
        decisions.merge(entry.outcome(), 1L, Long::sum);
        PreemptionResult p = entry.preemption();
        if (p == null) {
            return; // declined: no gain and no cost
        }
        preemptedJobs += p.victims().size();
        expectedGain += p.expectedGainMillis();
        expectedCost += p.expectedCostMillis();
        gain += p.gainMillis();
        cost += p.costMillis();
        for (VictimResult victim : p.victims()) {
            preemptGpu += victim.preemptGpuMillis();
            reloadGpu += Math.max(0, victim.reloadGpuMillis());
            lostGpu += victim.lostGpuMillis();
        }
    }

    /** Empty for the sum of everything. */
    public String key() {
        return key;
    }

    /** The number of decisions with this outcome. */
    public long count(DecisionOutcome outcome) {
        return decisions.getOrDefault(outcome, 0L);
    }

    /** Decisions to preempt jobs, moves included. */
    public long preemptions() {
        return decisions.values().stream().mapToLong(Long::longValue).sum() - count(DecisionOutcome.DECLINED);
    }

    /** Preempted jobs. */
    public long preemptedJobs() {
        return preemptedJobs;
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

    public long preemptGpuMillis() {
        return preemptGpu;
    }

    public long reloadGpuMillis() {
        return reloadGpu;
    }

    public long lostGpuMillis() {
        return lostGpu;
    }

    public long gpuMillis() {
        return preemptGpu + reloadGpu + lostGpu;
    }
}
