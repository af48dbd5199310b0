package dev.fermata.sim.recording;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.measure.PreemptionLog;
import dev.fermata.core.measure.PreemptionResult;
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
    static final int MAX_OF_EACH = 1000;

    /** @param count how many were closed before it */
    private record CountedPreemption(long count, long gpuMillis, PreemptionResult preemption) {}

    private static final Comparator<CountedPreemption> BY_COST = Comparator.comparingLong(CountedPreemption::gpuMillis)
            .thenComparing(CountedPreemption::count, Comparator.reverseOrder());

    private final PreemptionLog preemptionLog = new PreemptionLog(this::onClosed, declined -> this.declined++);
    private final PriorityQueue<CountedPreemption> costliest = new PriorityQueue<>(BY_COST);
    private final List<CountedPreemption> sample = new ArrayList<>();
    private long sampleInterval = 1;
    private long recordNumber;

    private long decisions;
    private long declined;
    private long preemptions;
    private long moves;
    private long costBenefitDecisions;
    private long beneficial;
    private long gain;
    private long cost;

    void accept(long now, HistoryRecord record) {
        preemptionLog.accept(++recordNumber, now, record);
    }

    private void onClosed(PreemptionResult preemption) {
        long count = decisions++;
        preemptions += preemption.victims().size();
        moves += preemption.isMove() ? 1 : 0;
        costBenefitDecisions += preemption.hasEstimates() ? 1 : 0;
        beneficial += preemption.balance() == PreemptionResult.Balance.PAID ? 1 : 0;
        gain += preemption.gainMillis();
        cost += preemption.costMillis();
        CountedPreemption counted = new CountedPreemption(count, preemption.gpuMillis(), preemption);
        if (costliest.size() < MAX_OF_EACH) {
            costliest.add(counted);
        } else if (BY_COST.compare(counted, costliest.peek()) > 0) {
            costliest.poll();
            costliest.add(counted);
        }
        if (count % sampleInterval == 0) {
            sample.add(counted);
        }
        if (sample.size() > MAX_OF_EACH) {
            sampleInterval *= 2;
            sample.removeIf(n -> n.count % sampleInterval != 0);
        }
    }

    RecordedPreemptions preemptions() {
        Set<Long> sampled = new HashSet<>();
        sample.forEach(n -> sampled.add(n.count));
        List<CountedPreemption> kept = new ArrayList<>(sample);
        costliest.stream().filter(n -> !sampled.contains(n.count)).forEach(kept::add);
        kept.sort(Comparator.comparingLong((CountedPreemption n) -> n.preemption.atMillis())
                .thenComparingLong(n -> n.preemption.beneficiary())
                .thenComparingLong(n -> n.count));
        PreemptionLog.PreemptionOverhead spent = preemptionLog.overhead();
        return new RecordedPreemptions(
                new RecordedPreemptions.RecordedTotals(
                        decisions,
                        preemptions,
                        moves,
                        costBenefitDecisions,
                        beneficial,
                        declined,
                        gain,
                        cost,
                        spent.preemptGpuMillis(),
                        spent.reloadGpuMillis(),
                        spent.lostGpuMillis(),
                        spent.otherOverheadGpuMillis(),
                        spent.otherLostGpuMillis()),
                kept.stream().map(CountedPreemption::preemption).toList(),
                sample.stream().map(n -> n.preemption.number()).sorted().toList());
    }
}
