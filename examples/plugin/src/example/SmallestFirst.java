package example;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.policy.PolicyInfo;
import dev.fermata.core.policy.PolicyPlugin;
import dev.fermata.core.policy.composed.ComposedPolicy;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.BestFit;
import dev.fermata.core.policy.ranking.Rank;
import java.util.List;

/** The policy {@code smallest}: the job that requests the fewest GPUs starts first. It never preempts. */
public final class SmallestFirst implements PolicyPlugin {
    @Override
    public List<PolicyInfo> policies() {
        return List.of(new PolicyInfo(
                "smallest",
                "fewest GPUs first; never preempts",
                "an example",
                List.of(),
                List.of(),
                settings -> new ComposedPolicy(new FewestGpus(), new BestFit(), null, false)));
    }

    /** Ranks by GPUs; equal jobs start in the order of their ids. */
    private static final class FewestGpus implements JobOrder {
        @Override
        public Rank waiting(JobView job, View view) {
            return Rank.fixed(JobOrder.priorityLevel(job), job.gpus());
        }
    }
}
