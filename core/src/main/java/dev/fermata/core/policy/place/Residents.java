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
 * Which jobs are on which GPU, as a policy notes it down from the jobs it sees come and go. An update costs the gangs of
 * the jobs that came or went.
 */
public final class Residents {
    /** Hears of every GPU on which somebody came or went. */
    public interface Listener {
        void changed(int gpu);
    }

    private final List<List<JobView>> onGpu = new ArrayList<>();
    private final LongMap<Allocation> placed = new LongMap<>();
    private final Listener listener;

    public Residents(Topology topology, Listener listener) {
        this.listener = listener;
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            onGpu.add(new ArrayList<>(2));
        }
    }

    /** Takes in what changed since the last decision. */
    public void update(View view) {
        for (JobView job : view.changed()) {
            refresh(job);
        }
    }

    /** Takes in where a job is now. */
    void refresh(JobView job) {
        Allocation held = job.state().holdsGpus() ? job.allocation() : null;
        if (!Objects.equals(held, placed.get(job.id()))) {
            leave(job);
            if (held != null) {
                arrive(job, held);
            }
        }
    }

    /** A policy starts this job here; should that come to nothing, the next update takes it back. */
    public void arrive(JobView job, Allocation held) {
        placed.put(job.id(), held);
        for (int i = 0; i < held.size(); i++) {
            onGpu.get(held.gpu(i)).add(job);
            listener.changed(held.gpu(i));
        }
    }

    /** Forgets where a job is. */
    void leave(JobView job) {
        Allocation was = placed.remove(job.id());
        for (int i = 0; was != null && i < was.size(); i++) {
            onGpu.get(was.gpu(i)).removeIf(other -> other.id() == job.id());
            listener.changed(was.gpu(i));
        }
    }

    /** The jobs on a GPU, in order of their coming. */
    public List<JobView> on(int gpu) {
        return onGpu.get(gpu);
    }

    /** The GPUs a job was seen on, or null. */
    public @Nullable Allocation of(JobView job) {
        return placed.get(job.id());
    }
}
