package dev.fermata.core.cycle;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The laws, asked of every action against the ledger as it is now. Answers with the rule that is broken, or null; what it
 * refuses is not done, whoever asked for it.
 */
final class PlanGuard {
    private final Ledger ledger;
    private final boolean memoryPromise;
    private final boolean mixedGangs;

    /**
     * @param memoryPromise whether GPU memory may never be promised twice; only out-of-memory studies turn it off
     * @param mixedGangs whether a gang may get GPUs of several types: only where jobs split their work to match
     */
    PlanGuard(Ledger ledger, boolean memoryPromise, boolean mixedGangs) {
        this.ledger = ledger;
        this.memoryPromise = memoryPromise;
        this.mixedGangs = mixedGangs;
    }

    @Nullable
    String refuse(Action action) {
        if (action instanceof Action.Start start) {
            String rule = waiting(start.jobId());
            return rule != null ? rule : fits(start.jobId(), start.allocation(), null);
        }
        if (action instanceof Action.Preempt preempt) {
            String rule = waiting(preempt.jobId());
            List<JobRecord> victims = new ArrayList<>(preempt.victims().size());
            for (int i = 0; i < preempt.victims().size() && rule == null; i++) {
                JobRecord victim = ledger.find(preempt.victims().get(i));
                rule = victims.contains(victim) ? "a victim is named twice" : victim(preempt, victim);
                if (victim != null) {
                    victims.add(victim);
                }
            }
            return rule != null ? rule : fits(preempt.jobId(), preempt.allocation(), victims);
        }
        if (action instanceof Action.Cancel) {
            JobRecord hopeless = ledger.find(action.jobId());
            return hopeless == null || hopeless.state != JobState.PENDING ? "only a pending job is given up" : null;
        }
        JobRecord moving = ledger.find(action.jobId());
        if (moving == null || moving.state != JobState.RUNNING) {
            return "only a running job can move";
        }
        if (moving.preemptions >= moving.job.maxPreemptions()) {
            return "its preemption budget is spent";
        }
        if (moving.settlesMillis() > ledger.nowMillis) {
            return "it has not run for as long as it may at least";
        }
        return fits(action.jobId(), ((Action.Move) action).allocation(), null);
    }

    private @Nullable String waiting(long id) {
        JobRecord job = ledger.find(id);
        if (job == null) {
            return "no such live job";
        }
        if (job.state != JobState.PENDING) {
            return "a job has at most one live attempt; it is " + job.state;
        }
        if (job.onHold) {
            return "it is on hold";
        }
        return job.promise != null ? "it is promised GPUs already" : null;
    }

    private @Nullable String victim(Action.Preempt preempt, @Nullable JobRecord victim) {
        if (victim == null || victim.state != JobState.RUNNING || victim.held == null) {
            return "a victim in " + preempt.victims() + " is not running (a loading job is never preempted)";
        }
        long id = victim.job.id();
        if (victim.preemptions >= victim.job.maxPreemptions()) {
            return "victim " + id + " has spent its preemption budget";
        }
        if (victim.settlesMillis() > ledger.nowMillis) {
            return "victim " + id + " has not run for as long as it may at least";
        }
        for (int i = 0; i < victim.held.size(); i++) {
            if (preempt.allocation().contains(victim.held.gpu(i))) {
                return null;
            }
        }
        Demand demand = victim.job.demand();
        boolean freesHost = demand.needsHost();
        for (int k = 0; freesHost && k < victim.held.nodeCount(); k++) {
            if (preempt.allocation().gpusOnNode(victim.held.node(k)) > 0) {
                return null;
            }
        }
        return "victim " + id + " frees nothing that the beneficiary will start on";
    }

    /** @param victims those who make room, or null when everything must be free at once */
    private @Nullable String fits(long id, Allocation allocation, @Nullable List<JobRecord> victims) {
        if (victims != null && allocation.shared()) {
            return "GPUs are promised whole";
        }
        JobRecord job = ledger.find(id);
        if (job == null) {
            return "no such live job";
        }
        Demand demand = job.job.demand();
        if (allocation.size() < demand.minGpus() || allocation.size() > demand.maxGpus()) {
            return "a gang gets all of its GPUs or none: asked " + demand.minGpus() + ".." + demand.maxGpus()
                    + ", given " + allocation.size();
        }
        if (allocation.mixed() && !mixedGangs) {
            return "a gang gets GPUs of one type";
        }
        for (int i = 0; i < allocation.size(); i++) {
            int gpu = allocation.gpu(i);
            if ((job.eligibleTypes >> ledger.topology.typeOf(gpu) & 1) == 0) {
                return "gpu " + gpu + " is of a type the job may not run on";
            }
            String rule = allocation.shared() ? shares(demand, gpu) : alone(gpu, victims);
            if (rule != null) {
                return rule;
            }
        }
        for (int k = 0; k < allocation.nodeCount(); k++) {
            if (!hostFits(allocation.node(k), allocation.gpusOn(k), demand, victims)) {
                return "node " + allocation.node(k) + " lacks CPU or RAM";
            }
        }
        return null;
    }

    private @Nullable String shares(Demand demand, int gpu) {
        Capacity capacity = ledger.capacity;
        if (!capacity.isFree(gpu) && !capacity.open(gpu)) {
            return "gpu " + gpu + " is neither free nor open for sharing";
        }
        if (demand.gpuMilli() < 1000 && demand.gpuMilli() > capacity.milliLeft(gpu)) {
            return "gpu " + gpu + " has only " + capacity.milliLeft(gpu) + "/1000 of its compute left";
        }
        int memory = demand.memoryOn(ledger.topology, gpu);
        if (memoryPromise && memory == 0 && capacity.sharers(gpu) > 0) {
            return "a job of unknown memory never shares gpu " + gpu;
        }
        if (memoryPromise && memory > capacity.memoryLeftMib(gpu)) {
            return "gpu " + gpu + " has only " + capacity.memoryLeftMib(gpu) + " MiB left, promised to others";
        }
        return null;
    }

    private @Nullable String alone(int gpu, @Nullable List<JobRecord> victims) {
        Capacity capacity = ledger.capacity;
        if (capacity.isFree(gpu)) {
            return null;
        }
        if (victims == null || capacity.isPromised(gpu) || !capacity.isHealthy(gpu)) {
            return "gpu " + gpu + " is in use, promised to another job, or down";
        }
        int vacatedBy = capacity.leaving(gpu);
        for (int i = 0; i < victims.size(); i++) {
            Allocation held = victims.get(i).held;
            vacatedBy += held != null && held.contains(gpu) ? 1 : 0;
        }
        return vacatedBy == capacity.sharers(gpu) ? null : "gpu " + gpu + " is in use by a job that is not leaving";
    }

    private boolean hostFits(int node, int gpus, Demand demand, @Nullable List<JobRecord> victims) {
        if (!demand.needsHost()) {
            return true;
        }
        Horizon horizon = victims == null ? Horizon.NOW : Horizon.SOON;
        long cpu = ledger.capacity.cpuMilli(node, horizon);
        long memory = ledger.capacity.memoryMib(node, horizon);
        for (JobRecord victim : victims == null ? List.<JobRecord>of() : victims) {
            if (victim.held != null) {
                int freed = victim.held.gpusOnNode(node);
                cpu += freed * victim.job.demand().cpuMilliPerGpu();
                memory += freed * victim.job.demand().memoryMibPerGpu();
            }
        }
        return gpus * demand.cpuMilliPerGpu() <= Math.max(0, cpu)
                && gpus * demand.memoryMibPerGpu() <= Math.max(0, memory);
    }
}
