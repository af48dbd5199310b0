package dev.fermata.sim.experiment;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.cycle.GuardMode;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.core.policy.place.Fragments;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * How full a cluster gets when jobs only arrive: drawn from a workload with replacement, one after another, none ever leaves, and
 * who does not fit is turned away. The measure of a placement in Weng et al., USENIX ATC 2023. What counts of a job is what it
 * asks for: GPUs and parts of them, types, CPU and RAM; not its GPU memory, which traces seldom tell.
 *
 * @param until GPUs asked for in all, over those the cluster has, at which no more are drawn
 */
public record Fill(Topology topology, Workload workload, double until, long seed) {
    private static final long STREAM = 31;

    /**
     * @param arrived jobs drawn
     * @param offered GPUs they asked for, over those there are
     * @param allocated GPUs given, over those there are
     * @param useless GPUs that are free and of no use to a job drawn from the workload, over those there are
     */
    public record Result(int arrived, int refused, double offered, double allocated, double useless) {}

    public Fill {
        if (workload.jobs().isEmpty()) {
            throw new IllegalArgumentException("the workload has no jobs to draw from");
        }
    }

    /** Runs it once with the placement of this policy; what it orders does not matter, as nobody ever waits. */
    public Result run(PolicySpec policy, BooleanSupplier stop) {
        Scheduler scheduler = new Scheduler(
                topology,
                policy.create(),
                (job, now) -> 1,
                GuardMode.PLAN,
                policy.memoryPromise(),
                policy.mixedGangs());
        List<Demand> demands =
                workload.jobs().stream().map(TrueJob::job).map(Fill::sizes).toList();
        Rng rng = Rng.stream(seed, STREAM);
        long capacityMilli = 1000L * topology.gpuCount();
        long offered = 0;
        long allocated = 0;
        int refused = 0;
        int arrived = 0;
        List<Event> news = new ArrayList<>();
        while (offered < until * capacityMilli && !stop.getAsBoolean()) {
            Demand demand = demands.get(rng.below(demands.size()));
            offered += milli(demand);
            arrived++;
            news.add(new Event.Submitted(
                    Job.builder(arrived, demand.maxGpus()).demand(demand).build()));
            Decision decision = scheduler.step(arrived, news);
            news.clear();
            if (decision.commands().stream().anyMatch(Command.Start.class::isInstance)) {
                allocated += milli(demand);
            } else {
                refused++;
                news.add(new Event.CancelAsked(arrived));
            }
        }
        double useless = new Fragments(topology, demands).of(scheduler.view().space());
        return new Result(
                arrived,
                refused,
                (double) offered / capacityMilli,
                (double) allocated / capacityMilli,
                useless / topology.gpuCount());
    }

    private static Demand sizes(Job job) {
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

    private static long milli(Demand demand) {
        return (long) demand.minGpus() * demand.gpuMilli();
    }
}
