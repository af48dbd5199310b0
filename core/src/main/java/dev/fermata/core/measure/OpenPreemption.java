package dev.fermata.core.measure;

import dev.fermata.core.model.Job;
import java.util.ArrayList;
import java.util.List;

/** One decision to preempt jobs, while its consequences are not all known. */
final class OpenPreemption {
    final long number;
    final long atMillis;
    final Job beneficiary;
    final List<OpenVictim> victims = new ArrayList<>();
    long startedMillis = -1;
    long loadMillis = -1;
    /** Whether the beneficiary still has the reservation. */
    boolean reservationOpen = true;
    /** Whether the attempt that used the reservation has not ended yet. */
    boolean loading;
    /** Victims that have not ended. */
    int openVictims;

    private final PreemptionEstimate expected;

    OpenPreemption(long number, long atMillis, Job beneficiary, PreemptionEstimate expected) {
        this.number = number;
        this.atMillis = atMillis;
        this.beneficiary = beneficiary;
        this.expected = expected;
    }

    boolean isSettled() {
        return openVictims == 0 && !reservationOpen;
    }

    /** Whether no later history entry adds anything to it. */
    boolean isClosed() {
        return isSettled() && !loading;
    }

    PreemptionResult toResult() {
        return new PreemptionResult(
                number,
                atMillis,
                new PreemptionResult.BeneficiaryResult(
                        beneficiary.id(),
                        beneficiary.name(),
                        beneficiary.demand().maxGpus(),
                        startedMillis,
                        loadMillis),
                expected,
                victims.stream().map(OpenVictim::toResult).toList(),
                isSettled());
    }
}
