package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.order.JobOrder;
import java.util.function.ToDoubleFunction;

/** The job that would run longest is the first victim, as in Big-C (ATC 2017). A baseline of FitGpp. */
public final class LongestRemaining implements VictimChoice {
    @Override
    public int budget() {
        return Job.UNLIMITED_PREEMPTIONS;
    }

    @Override
    public ToDoubleFunction<VictimCandidate> scoreSeveral(View view, JobView trial) {
        return r -> -JobOrder.predictedEndMillis(r.job(), view);
    }
}
