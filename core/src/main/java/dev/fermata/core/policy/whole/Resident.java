package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;

/**
 * A running batch job as those who look for victims see it.
 *
 * @param size Euclidean norm of what it holds, each resource as a share of one node
 * @param mayLeave whether its budget still lets it be paused, and it has run for as long as it may at least
 * @param settlesMillis when it has
 */
public record Resident(JobView job, Allocation held, int type, double size, boolean mayLeave, long settlesMillis) {

    static Resident of(JobView job, Allocation held, Topology topology, int budget, long nowMillis) {
        Node node = topology.node(held.node(0));
        double size = size(job.job().demand(), held.size(), node);
        boolean mayLeave = mayLeave(job, budget, nowMillis);
        return new Resident(job, held, node.type(), size, mayLeave, job.settlesMillis());
    }

    /** Whether all that was noted about the job is still so. */
    boolean holds(int budget, long nowMillis) {
        return mayLeave == mayLeave(job, budget, nowMillis) && settlesMillis == job.settlesMillis();
    }

    private static boolean mayLeave(JobView job, int budget, long nowMillis) {
        return job.preemptions() < Math.min(budget, job.job().maxPreemptions()) && job.settlesMillis() <= nowMillis;
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
