package dev.fermata.core.scheduler;

import dev.fermata.core.contract.DrainNote;
import dev.fermata.core.contract.ForeignLoad;
import dev.fermata.core.contract.GpuUse;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The index of the jobs and reservations by GPU. Only the cluster state changes it. */
final class GpuIndex implements GpuUse {
    private NodeConditions conditions;
    private final List<List<JobView>> holders = new ArrayList<>();
    private final List<@Nullable TrackedJob> beneficiaries = new ArrayList<>();

    GpuIndex(Topology topology, NodeConditions conditions) {
        this.conditions = conditions;
        grow(topology, conditions);
    }

    /** The cluster has changed; new GPUs come after those that it had. */
    void grow(Topology topology, NodeConditions now) {
        conditions = now;
        while (holders.size() < topology.gpuCount()) {
            holders.add(new ArrayList<>(1));
            beneficiaries.add(null);
        }
    }

    void add(TrackedJob job, Allocation held) {
        for (int i = 0; i < held.size(); i++) {
            holders.get(held.gpu(i)).add(job);
        }
    }

    void remove(TrackedJob job, Allocation held) {
        for (int i = 0; i < held.size(); i++) {
            holders.get(held.gpu(i)).remove(job);
        }
    }

    /** @param beneficiary null when the reservation ends */
    void reserve(Allocation allocation, @Nullable TrackedJob beneficiary) {
        for (int i = 0; i < allocation.size(); i++) {
            beneficiaries.set(allocation.gpu(i), beneficiary);
        }
    }

    @Nullable
    TrackedJob beneficiary(int gpu) {
        return beneficiaries.get(gpu);
    }

    @Override
    public List<JobView> jobsOn(int gpu) {
        return Collections.unmodifiableList(holders.get(gpu));
    }

    @Override
    public @Nullable JobView reservedFor(int gpu) {
        return beneficiaries.get(gpu);
    }

    @Override
    public Set<Long> neighbours(long job, Allocation allocation) {
        Set<Long> neighbours = new LinkedHashSet<>();
        for (int i = 0; i < allocation.size(); i++) {
            for (JobView holder : holders.get(allocation.gpu(i))) {
                neighbours.add(holder.id());
            }
        }
        neighbours.remove(job);
        return neighbours;
    }

    @Override
    public boolean isUp(int gpu) {
        return conditions.isUp(gpu);
    }

    @Override
    public boolean isNodeDown(int node) {
        return conditions.isNodeDown(node);
    }

    @Override
    public boolean isDrained(int node) {
        return conditions.isDrained(node);
    }

    @Override
    public DrainNote drainNote(int node) {
        return conditions.drainNote(node);
    }

    @Override
    public boolean isUnreachable(int node) {
        return conditions.isUnreachable(node);
    }

    @Override
    public boolean isExcluded(int node) {
        return conditions.isExcluded(node);
    }

    @Override
    public ForeignLoad foreignLoad(int node) {
        return conditions.foreign(node);
    }
}
