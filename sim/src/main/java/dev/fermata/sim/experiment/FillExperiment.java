package dev.fermata.sim.experiment;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.place.FragmentationMeasure;
import dev.fermata.core.scheduler.GuardMode;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How full a cluster gets when jobs only arrive: drawn from a workload with replacement, one after another. No job ever
 * leaves, and one that does not fit is rejected. This is the measure of a placement in Weng et al., USENIX ATC 2023. A
 * job counts with what it requests: GPUs and parts of them, types, CPU and RAM; not its GPU memory, which traces seldom
 * state.
 *
 * @param targetLoad GPUs requested in all, over those the cluster has, at which no more jobs are drawn
 */
public record FillExperiment(Topology topology, Workload workload, double targetLoad, long seed) {
    private static final long STREAM = 31;

    /**
     * @param arrived jobs drawn
     * @param offered GPUs they requested, over those there are
     * @param allocated GPUs given, over those there are
     * @param unusable GPUs that are free and of no use to a job drawn from the workload, over those there are
     */
    public record FillResult(int arrived, int rejected, double offered, double allocated, double unusable) {}

    public FillExperiment {
        if (workload.jobs().isEmpty()) {
            throw new IllegalArgumentException("the workload has no jobs to draw from");
        }
    }

    /** Runs it once with the placement of this policy. Its job order does not matter, since no job ever waits. */
    public FillResult run(PolicySpec policy, BooleanSupplier stop) {
        Scheduler scheduler = new Scheduler(
                topology, policy.create(), (job, now) -> 1, GuardMode.PLAN, policy.memoryGuard(), policy.mixedGangs());
        List<Demand> demands = workload.jobs().stream()
                .map(SimulatedJob::job)
                .map(FillExperiment::withoutGpuMemory)
                .toList();
        Rng rng = Rng.stream(seed, STREAM);
        long capacityMilli = 1000L * topology.gpuCount();
        long offered = 0;
        long allocated = 0;
        int rejected = 0;
        int arrived = 0;
        List<Event> events = new ArrayList<>();
        while (offered < targetLoad * capacityMilli && !stop.getAsBoolean()) {
            Demand demand = demands.get(rng.uniformInt(demands.size()));
            offered += gpuMilli(demand);
            arrived++;
            events.add(new Event.Submitted(
                    Job.builder(arrived, demand.maxGpus()).demand(demand).build()));
            Decision decision = scheduler.runCycle(arrived, events);
            scheduler.prepare();
            events.clear();
            if (decision.orders().stream().anyMatch(Order.Start.class::isInstance)) {
                allocated += gpuMilli(demand);
            } else {
                rejected++;
                events.add(new Event.CancelRequested(arrived));
            }
        }
        double unusable = new FragmentationMeasure(topology, demands)
                .measure(scheduler.view().capacity());
        return new FillResult(
                arrived,
                rejected,
                (double) offered / capacityMilli,
                (double) allocated / capacityMilli,
                unusable / topology.gpuCount());
    }

    private static Demand withoutGpuMemory(Job job) {
        Demand demand = job.demand();
        return new Demand(
                demand.minGpus(),
                demand.minGpus(),
                0,
                demand.gpuMilli(),
                demand.gpuTypes(),
                demand.cpuMilliPerGpu(),
                demand.memoryMibPerGpu());
    }

    private static long gpuMilli(Demand demand) {
        return (long) demand.minGpus() * demand.gpuMilli();
    }
}
