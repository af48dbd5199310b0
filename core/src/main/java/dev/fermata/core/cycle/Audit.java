package dev.fermata.core.cycle;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Holds the ledger's books against its jobs, for the guard's full mode. Costs O(jobs + GPUs); changes nothing. */
final class Audit {
    private final Ledger ledger;

    Audit(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Recounts GPUs, promises, CPU and states from the jobs alone; names the first difference, or null. */
    @Nullable
    String difference() {
        int[] held = new int[ledger.topology.gpuCount()];
        int[] promised = new int[ledger.topology.gpuCount()];
        long[] cpu = new long[ledger.topology.nodes().size()];
        int pendingSeen = 0;
        int runningSeen = 0;
        for (JobRecord job : ledger.all()) {
            pendingSeen += job.state == JobState.PENDING ? 1 : 0;
            runningSeen += job.state.holdsGpus() ? 1 : 0;
            if (job.state.holdsGpus() != (job.held != null)) {
                return job + ": state and GPUs held disagree";
            }
            count(job.held, held, cpu, job.job.demand().cpuMilliPerGpu());
            count(job.promise, promised, cpu, job.job.demand().cpuMilliPerGpu());
        }
        for (int gpu = 0; gpu < held.length; gpu++) {
            if (held[gpu] != ledger.capacity.sharers(gpu)
                    || promised[gpu] > 1
                    || (promised[gpu] == 1) != ledger.capacity.isPromised(gpu)) {
                return "gpu " + gpu + ": held by " + held[gpu] + " and promised to " + promised[gpu] + ", books say "
                        + ledger.capacity.sharers(gpu) + " and " + ledger.capacity.isPromised(gpu);
            }
        }
        for (int n = 0; n < cpu.length; n++) {
            if (ledger.topology.node(n).cpuMilli() - cpu[n] != ledger.capacity.cpuMilli(n, Horizon.NOW)) {
                return "node " + n + ": CPU books are off";
            }
        }
        if (pendingSeen != ledger.pending || runningSeen != ledger.running) {
            return "counted " + pendingSeen + " pending and " + runningSeen + " running, books say " + ledger.pending
                    + " and " + ledger.running;
        }
        return null;
    }

    private static void count(@Nullable Allocation allocation, int[] gpus, long[] cpu, long cpuPerGpu) {
        if (allocation != null) {
            Arrays.stream(allocation.toArray()).forEach(gpu -> gpus[gpu]++);
            for (int k = 0; k < allocation.nodeCount(); k++) {
                cpu[allocation.node(k)] += allocation.gpusOn(k) * cpuPerGpu;
            }
        }
    }
}
