package dev.fermata.core.scheduler;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The scheduling rules that every action must satisfy in the present cluster state. It returns the violated rule, or null;
 * a rejected action never takes effect.
 */
final class PlanGuard {
    private final ClusterState cluster;
    private final boolean memoryGuard;
    private final boolean mixedGangs;

    /**
     * @param memoryGuard whether GPU memory may never be reserved twice; only out-of-memory studies turn it off
     * @param mixedGangs whether a gang may get GPUs of several types: only where jobs split their work to match
     */
    PlanGuard(ClusterState cluster, boolean memoryGuard, boolean mixedGangs) {
        this.cluster = cluster;
        this.memoryGuard = memoryGuard;
        this.mixedGangs = mixedGangs;
    }

    @Nullable
    String findViolation(Action action) {
        return switch (action.type()) {
            case START -> startViolation((Action.Start) action);
            case PREEMPT -> preemptViolation((Action.Preempt) action);
            case CANCEL -> cancelViolation((Action.Cancel) action);
            case MOVE -> moveViolation((Action.Move) action);
        };
    }

    private @Nullable String startViolation(Action.Start start) {
        String rule = pendingViolation(start.jobId());
        TrackedJob job = cluster.find(start.jobId());
        if (rule == null && start.abandons()) {
            rule = job == null || job.suspension == null ? "only a suspended job can be abandoned" : null;
        } else if (rule == null && job != null) {
            rule = SuspendedJobs.placeViolation(job, start.allocation());
        }
        return rule != null ? rule : placementViolation(start.jobId(), start.allocation(), null);
    }

    private @Nullable String preemptViolation(Action.Preempt preempt) {
        String rule = pendingViolation(preempt.jobId());
        List<TrackedJob> victims = new ArrayList<>(preempt.victims().size());
        for (int i = 0; i < preempt.victims().size() && rule == null; i++) {
            TrackedJob victim = cluster.find(preempt.victims().get(i));
            rule = victims.contains(victim) ? "a victim is named twice" : victimViolation(preempt, victim);
            if (victim != null) {
                victims.add(victim);
            }
        }
        TrackedJob job = cluster.find(preempt.jobId());
        if (rule == null && job != null) {
            rule = SuspendedJobs.placeViolation(job, preempt.allocation());
        }
        rule = rule == null ? cluster.suspended.wayViolation(preempt, victims) : rule;
        return rule != null ? rule : placementViolation(preempt.jobId(), preempt.allocation(), victims);
    }

    private @Nullable String cancelViolation(Action.Cancel cancel) {
        TrackedJob unsatisfiable = cluster.find(cancel.jobId());
        return unsatisfiable == null || unsatisfiable.state != JobState.PENDING
                ? "only a pending job is given up"
                : null;
    }

    private @Nullable String moveViolation(Action.Move move) {
        TrackedJob moving = cluster.find(move.jobId());
        if (moving == null || moving.state != JobState.RUNNING) {
            return "only a running job can move";
        }
        if (moving.preemptions >= moving.job.maxPreemptions()) {
            return "its preemption budget is spent";
        }
        if (moving.preemptibleFromMillis() > cluster.nowMillis) {
            return "it has not run for as long as it may at least";
        }
        return placementViolation(move.jobId(), move.allocation(), List.of(moving));
    }

    private @Nullable String pendingViolation(long id) {
        TrackedJob job = cluster.find(id);
        if (job == null) {
            return "no such live job";
        }
        if (job.state != JobState.PENDING) {
            return "a job has at most one live attempt; it is " + job.state;
        }
        if (job.onHold) {
            return "it is on hold";
        }
        return job.reservation != null ? "it has a reservation already" : null;
    }

    private @Nullable String victimViolation(Action.Preempt preempt, @Nullable TrackedJob victim) {
        if (victim == null || victim.state != JobState.RUNNING || victim.held == null) {
            return "a victim in " + preempt.victims() + " is not running (a loading job is never preempted)";
        }
        long id = victim.job.id();
        if (!preempt.reclaims() && victim.preemptions >= victim.job.maxPreemptions()) {
            return "victim " + id + " has spent its preemption budget";
        }
        if (victim.preemptibleFromMillis() > cluster.nowMillis) {
            return "victim " + id + " has not run for as long as it may at least";
        }
        for (int i = 0; i < victim.held.size(); i++) {
            if (preempt.allocation().contains(victim.held.gpu(i))) {
                return null;
            }
        }
        Demand demand = victim.job.demand();
        boolean freesHost = demand.needsHostResources();
        for (int k = 0; freesHost && k < victim.held.nodeCount(); k++) {
            if (preempt.allocation().gpusOnNode(victim.held.node(k)) > 0) {
                return null;
            }
        }
        return "victim " + id + " frees nothing that the beneficiary will start on";
    }

    /** @param victims the jobs that make room, or null when everything must be free at once */
    private @Nullable String placementViolation(long id, Allocation allocation, @Nullable List<TrackedJob> victims) {
        if (victims != null && allocation.shared()) {
            return "only whole GPUs are reserved";
        }
        TrackedJob job = cluster.find(id);
        if (job == null) {
            return "no such live job";
        }
        Demand demand = job.job.demand();
        if (allocation.size() < demand.minGpus() || allocation.size() > demand.maxGpus()) {
            return "a gang gets all of its GPUs or none: requested " + demand.minGpus() + ".." + demand.maxGpus()
                    + ", given " + allocation.size();
        }
        if (allocation.mixed() && !(mixedGangs && demand.splitsBatch())) {
            return "a gang gets GPUs of one type, unless it splits its batch";
        }
        for (int i = 0; i < allocation.size(); i++) {
            int gpu = allocation.gpu(i);
            if ((job.eligibleTypes >> cluster.topology.typeOf(gpu) & 1) == 0) {
                return "gpu " + gpu + " is of a type the job may not run on";
            }
            String rule = allocation.shared() ? sharingViolation(demand, gpu) : exclusiveViolation(gpu, victims);
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

    private @Nullable String sharingViolation(Demand demand, int gpu) {
        Capacity capacity = cluster.capacity;
        if (!capacity.isFree(gpu) && !capacity.isShareable(gpu)) {
            return "gpu " + gpu + " is neither free nor open for sharing";
        }
        if (demand.gpuMilli() < 1000 && demand.gpuMilli() > capacity.freeGpuMilli(gpu)) {
            return "gpu " + gpu + " has only " + capacity.freeGpuMilli(gpu) + "/1000 of its compute left";
        }
        int memory = demand.gpuMemoryOn(cluster.topology, gpu);
        if (memoryGuard && memory == 0 && capacity.jobsOn(gpu) > 0) {
            return "a job of unknown memory never shares gpu " + gpu;
        }
        if (memoryGuard && memory > capacity.freeGpuMemoryMib(gpu)) {
            return "gpu " + gpu + " has only " + capacity.freeGpuMemoryMib(gpu) + " MiB left, reserved by others";
        }
        return null;
    }

    private @Nullable String exclusiveViolation(int gpu, @Nullable List<TrackedJob> victims) {
        Capacity capacity = cluster.capacity;
        if (capacity.isFree(gpu)) {
            return null;
        }
        if (victims == null || capacity.isReserved(gpu) || !capacity.isSchedulable(gpu)) {
            return "gpu " + gpu + " is in use, reserved for another job, down or drained";
        }
        int vacatedBy = capacity.vacatingJobs(gpu);
        for (JobView holder : cluster.gpuUse.jobsOn(gpu)) {
            vacatedBy += victims.contains(holder) ? 1 : 0;
        }
        return vacatedBy == capacity.jobsOn(gpu) ? null : "gpu " + gpu + " is in use by a job that is not leaving";
    }

    private boolean hostFits(int node, int gpus, Demand demand, @Nullable List<TrackedJob> victims) {
        if (!demand.needsHostResources()) {
            return true;
        }
        Horizon horizon = victims == null ? Horizon.NOW : Horizon.SOON;
        long cpu = cluster.capacity.availableCpuMilli(node, horizon);
        long memory = cluster.capacity.availableMemoryMib(node, horizon);
        for (TrackedJob victim : victims == null ? List.<TrackedJob>of() : victims) {
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
