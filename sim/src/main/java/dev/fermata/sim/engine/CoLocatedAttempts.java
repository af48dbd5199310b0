package dev.fermata.sim.engine;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The attempts on shared GPUs: how they slow each other down, and when memory does not suffice for all of them. */
final class CoLocatedAttempts {
    private final Topology topology;
    private final TrueModel model;
    private final Map<Integer, List<SimulatedAttempt>> attemptsByGpu = new HashMap<>();

    CoLocatedAttempts(Topology topology, TrueModel model) {
        this.topology = topology;
        this.model = model;
    }

    void add(SimulatedAttempt run) {
        if (run.allocation.shared()) {
            for (int i = 0; i < run.allocation.size(); i++) {
                attemptsByGpu
                        .computeIfAbsent(run.allocation.gpu(i), g -> new ArrayList<>())
                        .add(run);
            }
        }
    }

    void remove(SimulatedAttempt run) {
        if (run.allocation.shared()) {
            for (int i = 0; i < run.allocation.size(); i++) {
                on(run.allocation.gpu(i)).remove(run);
            }
        }
    }

    /** Whether an attempt that has loaded needs more memory than the others on its GPUs leave. */
    boolean exceedsMemory(SimulatedAttempt run) {
        Allocation allocation = run.allocation;
        // alone, one GPU is as good as the next of its type
        int gpusToCheck = allocation.shared() || allocation.mixed() ? allocation.size() : 1;
        for (int i = 0; i < gpusToCheck; i++) {
            int gpu = allocation.gpu(i);
            long used = run.job.peakMemoryMib();
            for (SimulatedAttempt other : allocation.shared() ? on(gpu) : List.<SimulatedAttempt>of()) {
                if (other != run && !other.isLoading()) {
                    used += other.job.peakMemoryMib();
                }
            }
            if (used > topology.types().get(topology.typeOf(gpu)).memoryMib()) {
                return true;
            }
        }
        return false;
    }

    /** A gang is as slow as its most crowded GPU. */
    double slowdown(SimulatedAttempt run) {
        double worst = 1;
        for (int i = 0; run.allocation.shared() && i < run.allocation.size(); i++) {
            List<Job> others = new ArrayList<>();
            for (SimulatedAttempt other : on(run.allocation.gpu(i))) {
                if (other != run && other.isRunning()) {
                    others.add(other.job.job());
                }
            }
            worst = Math.max(worst, model.coRunSlowdown(run.job.job(), others));
        }
        return worst;
    }

    /** Adds the attempts that run on the same GPUs as this one, by job. */
    void addNeighbours(SimulatedAttempt run, Map<Long, SimulatedAttempt> neighbours) {
        for (int i = 0; run.allocation.shared() && i < run.allocation.size(); i++) {
            for (SimulatedAttempt other : on(run.allocation.gpu(i))) {
                if (other != run && other.isRunning()) {
                    neighbours.put(other.job.job().id(), other);
                }
            }
        }
    }

    private List<SimulatedAttempt> on(int gpu) {
        return attemptsByGpu.getOrDefault(gpu, List.of());
    }
}
