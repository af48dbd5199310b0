package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Job;
import dev.fermata.core.policy.order.Order;
import java.util.function.ToDoubleFunction;

/** Who would run longest leaves first, as in Big-C (ATC 2017). A baseline of FitGpp. */
public final class LongestRemaining implements VictimChoice {
    @Override
    public int budget() {
        return Job.UNLIMITED_PREEMPTIONS;
    }

    @Override
    public ToDoubleFunction<Resident> several(View view, JobView trial) {
        return r -> -Order.expectedEndMillis(r.job(), view);
    }
}
