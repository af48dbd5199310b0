package dev.fermata.sim.portrait;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Usage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows every pause to its consequences. Keeps the costliest and, at even distances, a sample; when the sample is full,
 * every other one is dropped and the distance doubles.
 */
final class PreemptionRecorder {
    static final int MOST_OF_EACH = 1000;

    private record Numbered(long number, long gpuMillis, Decision decision) {}

    private static final Comparator<Numbered> BY_COST =
            Comparator.comparingLong(Numbered::gpuMillis).thenComparing(Numbered::number, Comparator.reverseOrder());

    private final PriorityQueue<Numbered> costliest = new PriorityQueue<>(BY_COST);
    private final List<Numbered> sample = new ArrayList<>();
    private long distance = 1;
    private @Nullable Decision current;

    private long decisions;
    private long pauses;
    private long moves;
    private long weighed;
    private long paid;
    private long gain;
    private long cost;
    private long pauseGpu;
    private long reloadGpu;
    private long lostGpu;
    private long otherOverheadGpu;
    private long otherLostGpu;

    void pausing(long now, Life victim, Life beneficiary, Fact.Pausing fact) {
        Decision decision = current;
        if (decision == null || decision.atMillis != now || decision.beneficiary.id() != beneficiary.job.id()) {
            decision = new Decision(now, beneficiary.job, fact.gainMillis(), fact.costMillis());
            current = decision;
            beneficiary.promise = decision;
        }
        back(now, victim); // paused anew before it could make progress
        int gpus = victim.held == null ? 0 : victim.held.size();
        Pause pause = new Pause(decision, victim.job, gpus);
        decision.victims.add(pause);
        decision.open++;
        victim.pausing = pause;
    }

    /** Whatever is paused from now on belongs to another decision. */
    void promised() {
        current = null;
    }

    static void started(long now, Life life) {
        if (life.promise != null) {
            life.promise.startedMillis = now;
            life.promise = null;
        }
    }

    static void unpromised(Life life) {
        life.promise = null;
    }

    static void running(long now, Life life) {
        back(now, life);
    }

    private static void back(long now, Life life) {
        if (life.away != null) {
            life.away.awayMillis = now - life.away.decision.atMillis;
            life.away = null;
        }
    }

    void left(long now, Life life, int gpus, Usage usage, boolean forGood) {
        long load = usage.loadMillis() * gpus;
        if (life.reloading != null) {
            life.reloading.reloadGpuMillis = load;
            reloadGpu += load;
            life.reloading = null;
        } else {
            otherOverheadGpu += load;
        }
        life.usefulMillis += usage.usefulMillis();
        Pause pause = life.pausing;
        if (pause == null) {
            otherOverheadGpu += usage.pauseMillis() * gpus;
            otherLostGpu += usage.lostMillis() * gpus;
        } else {
            pause.pauseGpuMillis = usage.pauseMillis() * gpus;
            pause.lostGpuMillis = usage.lostMillis() * gpus;
            pause.lostMillis = usage.lostMillis();
            pause.usefulMillis = life.usefulMillis + usage.lostMillis();
            pauseGpu += pause.pauseGpuMillis;
            lostGpu += pause.lostGpuMillis;
            life.pausing = null;
            life.pauses.add(pause);
            life.reloading = pause;
            life.away = pause;
        }
        if (forGood) {
            ended(now, life);
        }
    }

    void ended(long now, Life life) {
        back(now, life);
        for (Pause pause : life.pauses) {
            pause.remainingMillis = Math.max(0, life.usefulMillis - pause.usefulMillis);
            if (--pause.decision.open == 0) {
                complete(pause.decision);
            }
        }
        life.pauses.clear();
    }

    private void complete(Decision decision) {
        long number = decisions++;
        long saved = decision.gainMillis();
        long delayed = decision.costMillis();
        pauses += decision.victims.size();
        moves += decision.move() ? 1 : 0;
        weighed += decision.weighed() ? 1 : 0;
        paid += saved > delayed ? 1 : 0;
        gain += saved;
        cost += delayed;
        Numbered numbered = new Numbered(number, decision.gpuMillis(), decision);
        if (costliest.size() < MOST_OF_EACH) {
            costliest.add(numbered);
        } else if (BY_COST.compare(numbered, costliest.peek()) > 0) {
            costliest.poll();
            costliest.add(numbered);
        }
        if (number % distance == 0) {
            sample.add(numbered);
        }
        if (sample.size() > MOST_OF_EACH) {
            distance *= 2;
            sample.removeIf(n -> n.number % distance != 0);
        }
    }

    Preemptions preemptions() {
        Set<Long> sampled = new HashSet<>();
        sample.forEach(n -> sampled.add(n.number));
        List<Numbered> kept = new ArrayList<>(sample);
        costliest.stream().filter(n -> !sampled.contains(n.number)).forEach(kept::add);
        kept.sort(Comparator.comparingLong((Numbered n) -> n.decision.atMillis)
                .thenComparingLong(n -> n.decision.beneficiary.id())
                .thenComparingLong(n -> n.number));
        return new Preemptions(
                new Preemptions.Totals(
                        decisions,
                        pauses,
                        moves,
                        weighed,
                        paid,
                        gain,
                        cost,
                        pauseGpu,
                        reloadGpu,
                        lostGpu,
                        otherOverheadGpu,
                        otherLostGpu),
                kept.stream()
                        .map(n -> n.decision.preemption(sampled.contains(n.number)))
                        .toList());
    }
}
