package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/**
 * A running batch job as a victim search sees it.
 *
 * @param size Euclidean norm of what it holds, each resource as a share of one node
 * @param preemptible whether its budget allows a preemption, and it has run for its minimum run time
 * @param preemptibleFromMillis when it has
 */
public record VictimCandidate(
        JobView job, Allocation held, int type, double size, boolean preemptible, long preemptibleFromMillis) {

    static VictimCandidate of(JobView job, Allocation held, Topology topology, int budget, long nowMillis) {
        Node node = topology.node(held.node(0));
        double size = size(job.job().demand(), held.size(), node);
        boolean preemptible = preemptible(job, budget, nowMillis);
        return new VictimCandidate(job, held, node.type(), size, preemptible, job.preemptibleFromMillis());
    }

    /** Whether all that was noted about the job is still so. */
    boolean isCurrent(int budget, long nowMillis) {
        return preemptible == preemptible(job, budget, nowMillis)
                && preemptibleFromMillis == job.preemptibleFromMillis();
    }

    private static boolean preemptible(JobView job, int budget, long nowMillis) {
        return job.preemptions() < Math.min(budget, job.job().maxPreemptions())
                && job.preemptibleFromMillis() <= nowMillis;
    }

    /** {@code sqrt((gpus/node)² + (cpu/node)² + (ram/node)²)}; CPU and RAM count where the node states what it has. */
    static double size(Demand demand, int gpus, Node node) {
        double gpu = (double) gpus / node.gpus();
        double cpu = share(gpus * demand.cpuMilliPerGpu(), node.cpuMilli());
        double memory = share(gpus * demand.memoryMibPerGpu(), node.memoryMib());
        return Math.sqrt(gpu * gpu + cpu * cpu + memory * memory);
    }

    private static double share(long asked, long has) {
        return has == Node.UNLIMITED || has == 0 ? 0 : (double) asked / has;
    }

    long id() {
        return job.id();
    }
}
