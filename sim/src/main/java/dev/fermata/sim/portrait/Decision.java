package dev.fermata.sim.portrait;

import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;

/** One decision to pause others; complete when it is known of all its victims how long they still ran. */
final class Decision {
    final long atMillis;
    final Job beneficiary;
    final List<Pause> victims = new ArrayList<>();
    long startedMillis = -1;
    /** Victims that have not ended. */
    int open;

    private final long expectedGainMillis;
    private final long expectedCostMillis;

    Decision(long atMillis, Job beneficiary, long gainMillis, long costMillis) {
        this.atMillis = atMillis;
        this.beneficiary = beneficiary;
        this.expectedGainMillis = gainMillis;
        this.expectedCostMillis = costMillis;
    }

    Preemption preemption(boolean sampled) {
        return new Preemption(
                atMillis,
                beneficiary.id(),
                beneficiary.name(),
                beneficiary.demand().maxGpus(),
                expectedGainMillis,
                expectedCostMillis,
                startedMillis,
                victims.stream().map(Pause::victim).toList(),
                sampled);
    }

    // The same figures as a preemption's, without making one: most decisions of a long run are not kept.

    boolean move() {
        return victims.size() == 1 && victims.get(0).job.id() == beneficiary.id();
    }

    boolean weighed() {
        return expectedGainMillis != 0 || expectedCostMillis != 0;
    }

    long gpuMillis() {
        long sum = 0;
        for (Pause pause : victims) {
            sum += pause.pauseGpuMillis + pause.reloadGpuMillis + pause.lostGpuMillis;
        }
        return sum;
    }

    long costMillis() {
        long sum = 0;
        for (Pause pause : victims) {
            sum += pause.awayMillis + pause.lostMillis;
        }
        return sum;
    }

    long gainMillis() {
        if (startedMillis < 0 || move()) {
            return 0;
        }
        double weighted = 0;
        double gpus = 0;
        for (Pause pause : victims) {
            weighted += (double) pause.remainingMillis * pause.gpus;
            gpus += pause.gpus;
        }
        return Preemption.saved(weighted, gpus, startedMillis - atMillis);
    }
}
