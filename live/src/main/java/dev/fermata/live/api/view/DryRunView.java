package dev.fermata.live.api.view;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import dev.fermata.core.contract.ReasonCode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What would happen to a job submitted now, one flat JSON object. It is no reservation. */
public record DryRunView(
        boolean feasible,
        boolean startsNow,
        List<Integer> gpus,
        @JsonUnwrapped DryRunPreemptionView preemption,
        @Nullable ReasonCode reason,
        String message,
        @Nullable StartPredictionView predictedStart) {
    /** The preemption that would start the job. */
    public record DryRunPreemptionView(List<DryRunVictim> victims, double gainSeconds, double costSeconds) {}

    /** A job that would be preempted; its name is empty when the caller may not see it. */
    public record DryRunVictim(long job, String name, String user, int gpus) {}
}
