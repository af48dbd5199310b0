package dev.fermata.core.cycle;

import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Holds the ledger's books against its jobs, for the guard's full mode. Costs O(jobs + GPUs); changes nothing. */
final class Audit {
    private final Ledger ledger;

    Audit(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Recounts GPUs and their memory, promises, CPU, RAM and states from the jobs alone; names the first difference, or null. */
    @Nullable
    String difference() {
        int[] held = new int[ledger.topology.gpuCount()];
        int[] promised = new int[ledger.topology.gpuCount()];
        int[] memory = new int[held.length];
        long[] cpu = new long[ledger.topology.nodes().size()];
        long[] ram = new long[cpu.length];
        int pendingSeen = 0;
        int runningSeen = 0;
        for (JobRecord job : ledger.all()) {
            pendingSeen += job.state == JobState.PENDING ? 1 : 0;
            runningSeen += job.state.holdsGpus() ? 1 : 0;
            if (job.state.holdsGpus() != (job.held != null)) {
                return job + ": state and GPUs held disagree";
            }
            count(job.held, held, cpu, ram, job.job.demand());
            count(job.promise, promised, cpu, ram, job.job.demand());
            if (job.held != null && job.held.shared()) {
                Demand demand = job.job.demand();
                Arrays.stream(job.held.toArray()).forEach(gpu -> memory[gpu] += demand.memoryOn(ledger.topology, gpu));
            }
        }
        for (int gpu = 0; gpu < held.length; gpu++) {
            if (held[gpu] != ledger.capacity.sharers(gpu)
                    || promised[gpu] > 1
                    || (promised[gpu] == 1) != ledger.capacity.isPromised(gpu)) {
                return "gpu " + gpu + ": held by " + held[gpu] + " and promised to " + promised[gpu] + ", books say "
                        + ledger.capacity.sharers(gpu) + " and " + ledger.capacity.isPromised(gpu);
            }
        }
        for (int gpu = 0; gpu < held.length; gpu++) {
            int size = ledger.topology.types().get(ledger.topology.typeOf(gpu)).memoryMib();
            if (size - memory[gpu] != ledger.capacity.memoryLeftMib(gpu)) {
                return "gpu " + gpu + ": memory books are off";
            }
        }
        for (int n = 0; n < cpu.length; n++) {
            if (ledger.topology.node(n).cpuMilli() - cpu[n] != ledger.capacity.cpuMilli(n, Horizon.NOW)
                    || ledger.topology.node(n).memoryMib() - ram[n] != ledger.capacity.memoryMib(n, Horizon.NOW)) {
                return "node " + n + ": CPU or RAM books are off";
            }
        }
        if (pendingSeen != ledger.pending || runningSeen != ledger.running) {
            return "counted " + pendingSeen + " pending and " + runningSeen + " running, books say " + ledger.pending
                    + " and " + ledger.running;
        }
        return null;
    }

    private static void count(@Nullable Allocation allocation, int[] gpus, long[] cpu, long[] ram, Demand demand) {
        if (allocation != null) {
            Arrays.stream(allocation.toArray()).forEach(gpu -> gpus[gpu]++);
            for (int k = 0; k < allocation.nodeCount(); k++) {
                cpu[allocation.node(k)] += allocation.gpusOn(k) * demand.cpuMilliPerGpu();
                ram[allocation.node(k)] += allocation.gpusOn(k) * demand.memoryMibPerGpu();
            }
        }
    }
}
