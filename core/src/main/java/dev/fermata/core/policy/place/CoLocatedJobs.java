package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs are on which GPU, derived from the jobs that a policy sees come and go. An update costs the gangs of
 * the jobs that came or went.
 */
public final class CoLocatedJobs {
    /** Called for every GPU on which a job came or went. */
    public interface GpuListener {
        void gpuChanged(int gpu);
    }

    private final List<List<JobView>> onGpu = new ArrayList<>();
    private final LongMap<Allocation> placed = new LongMap<>();
    private final GpuListener listener;

    public CoLocatedJobs(Topology topology, GpuListener listener) {
        this.listener = listener;
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            onGpu.add(new ArrayList<>(2));
        }
    }

    /** Applies what changed since the last decision. */
    public void update(View view) {
        for (JobView job : view.changedJobs()) {
            refresh(job);
        }
    }

    /** Applies where a job is now; returns whether it was elsewhere. */
    boolean refresh(JobView job) {
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        if (Objects.equals(held, placed.get(job.id()))) {
            return false;
        }
        remove(job);
        if (held != null) {
            add(job, held);
        }
        return true;
    }

    /** A policy starts this job here; if it does not start, the next update takes it back. */
    public void add(JobView job, Allocation held) {
        placed.put(job.id(), held);
        for (int i = 0; i < held.size(); i++) {
            onGpu.get(held.gpu(i)).add(job);
            listener.gpuChanged(held.gpu(i));
        }
    }

    /** Forgets where a job is. */
    void remove(JobView job) {
        Allocation was = placed.remove(job.id());
        for (int i = 0; was != null && i < was.size(); i++) {
            onGpu.get(was.gpu(i)).removeIf(other -> other.id() == job.id());
            listener.gpuChanged(was.gpu(i));
        }
    }

    /** The jobs on a GPU, in order of their coming. */
    public List<JobView> jobsOn(int gpu) {
        return onGpu.get(gpu);
    }

    /** The GPUs a job was seen on, or null. */
    public @Nullable Allocation allocationOf(JobView job) {
        return placed.get(job.id());
    }
}
