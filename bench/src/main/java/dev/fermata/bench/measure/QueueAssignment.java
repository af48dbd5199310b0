package dev.fermata.bench.measure;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;

/** Spreads jobs over queues, for measuring what queues cost. */
public final class QueueAssignment {
    private QueueAssignment() {}

    /**
     * The same jobs in turn in this many queues, two to a parent. Every second one is guaranteed half of an equal part of the
     * cluster, every third may use at most four parts.
     */
    public static Workload spread(int queues, Workload jobs, Topology topology) {
        if (queues == 0) {
            return jobs;
        }
        int part = Math.max(1, topology.gpuCount() / queues);
        List<QueueRule> rules = new ArrayList<>();
        for (int q = 0; q < queues; q++) {
            int limit = q % 3 == 0 ? 4 * part : QueueRule.NO_LIMIT;
            rules.add(new QueueRule(path(q), q % 2 == 0 ? part / 2 : 0, limit, 1 + q % 4));
        }
        List<SimulatedJob> spread = new ArrayList<>();
        for (SimulatedJob one : jobs.jobs()) {
            Job job = one.job().toBuilder(one.job().id())
                    .queue(path(spread.size() % queues))
                    .build();
            spread.add(
                    new SimulatedJob(job, one.submitMillis(), one.durationMillis(), one.peakMemoryMib(), one.costs()));
        }
        return new Workload(jobs.name(), spread).withQueues(rules);
    }

    private static String path(int queue) {
        return "team" + queue / 2 + "/queue" + queue;
    }
}
