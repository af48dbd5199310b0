package dev.fermata.core.measure;

import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;

/** One decision to pause others, while its consequences are not all known. */
final class Decision {
    final long number;
    final long atMillis;
    final Job beneficiary;
    final List<Pause> victims = new ArrayList<>();
    long startedMillis = -1;
    long loadMillis = -1;
    /** Whether the beneficiary still has the promise. */
    boolean promised = true;
    /** Whether the attempt that it was promised has not left yet. */
    boolean loading;
    /** Victims that have not ended. */
    int open;

    private final long expectedGainMillis;
    private final long expectedCostMillis;

    Decision(long number, long atMillis, Job beneficiary, long gainMillis, long costMillis) {
        this.number = number;
        this.atMillis = atMillis;
        this.beneficiary = beneficiary;
        this.expectedGainMillis = gainMillis;
        this.expectedCostMillis = costMillis;
    }

    boolean settled() {
        return open == 0 && !promised;
    }

    /** Whether no later line of the history says anything more about it. */
    boolean closed() {
        return settled() && !loading;
    }

    Preemption preemption() {
        return new Preemption(
                number,
                atMillis,
                beneficiary.id(),
                beneficiary.name(),
                beneficiary.demand().maxGpus(),
                expectedGainMillis,
                expectedCostMillis,
                startedMillis,
                loadMillis,
                victims.stream().map(Pause::victim).toList(),
                settled());
    }
}
