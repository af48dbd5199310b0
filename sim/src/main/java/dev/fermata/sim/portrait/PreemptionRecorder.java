package dev.fermata.sim.portrait;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.measure.Preemption;
import dev.fermata.core.measure.PreemptionLedger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Keeps the costliest decisions and, at even distances, a sample; when the sample is full, every other one is dropped and the
 * distance doubles.
 */
final class PreemptionRecorder {
    static final int MOST_OF_EACH = 1000;

    /** @param count how many were closed before it */
    private record Counted(long count, long gpuMillis, Preemption preemption) {}

    private static final Comparator<Counted> BY_COST =
            Comparator.comparingLong(Counted::gpuMillis).thenComparing(Counted::count, Comparator.reverseOrder());

    private final PreemptionLedger ledger = new PreemptionLedger(this::closed, declined -> this.declined++);
    private final PriorityQueue<Counted> costliest = new PriorityQueue<>(BY_COST);
    private final List<Counted> sample = new ArrayList<>();
    private long distance = 1;
    private long line;

    private long decisions;
    private long declined;
    private long pauses;
    private long moves;
    private long weighed;
    private long paid;
    private long gain;
    private long cost;

    void accept(long now, Fact fact) {
        ledger.accept(++line, now, fact);
    }

    private void closed(Preemption preemption) {
        long count = decisions++;
        pauses += preemption.victims().size();
        moves += preemption.move() ? 1 : 0;
        weighed += preemption.weighed() ? 1 : 0;
        paid += preemption.balance() == Preemption.Balance.PAID ? 1 : 0;
        gain += preemption.gainMillis();
        cost += preemption.costMillis();
        Counted counted = new Counted(count, preemption.gpuMillis(), preemption);
        if (costliest.size() < MOST_OF_EACH) {
            costliest.add(counted);
        } else if (BY_COST.compare(counted, costliest.peek()) > 0) {
            costliest.poll();
            costliest.add(counted);
        }
        if (count % distance == 0) {
            sample.add(counted);
        }
        if (sample.size() > MOST_OF_EACH) {
            distance *= 2;
            sample.removeIf(n -> n.count % distance != 0);
        }
    }

    Preemptions preemptions() {
        Set<Long> sampled = new HashSet<>();
        sample.forEach(n -> sampled.add(n.count));
        List<Counted> kept = new ArrayList<>(sample);
        costliest.stream().filter(n -> !sampled.contains(n.count)).forEach(kept::add);
        kept.sort(Comparator.comparingLong((Counted n) -> n.preemption.atMillis())
                .thenComparingLong(n -> n.preemption.beneficiary())
                .thenComparingLong(n -> n.count));
        PreemptionLedger.Spent spent = ledger.spent();
        return new Preemptions(
                new Preemptions.Totals(
                        decisions,
                        pauses,
                        moves,
                        weighed,
                        paid,
                        declined,
                        gain,
                        cost,
                        spent.pauseGpuMillis(),
                        spent.reloadGpuMillis(),
                        spent.lostGpuMillis(),
                        spent.otherOverheadGpuMillis(),
                        spent.otherLostGpuMillis()),
                kept.stream().map(Counted::preemption).toList(),
                sample.stream().map(n -> n.preemption.number()).sorted().toList());
    }
}
