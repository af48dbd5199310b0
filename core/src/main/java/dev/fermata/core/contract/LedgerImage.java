package dev.fermata.core.contract;

import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a ledger remembers, as plain values: a scheduler that restores it goes on where the other one was. It is a
 * function of the facts up to {@code factMillis}; two ledgers with the same history have equal images.
 *
 * @param factMillis when the last fact happened
 * @param jobs the live jobs, by id
 * @param nodesDown nodes that are down as a whole, ascending
 * @param gpusDown GPUs with a fault of their own, ascending
 */
public record LedgerImage(
        long factMillis, List<Page> jobs, List<Integer> nodesDown, List<Integer> gpusDown, List<QueueRule> queueRules) {

    public LedgerImage {
        jobs = List.copyOf(jobs);
        nodesDown = List.copyOf(nodesDown);
        gpusDown = List.copyOf(gpusDown);
        queueRules = List.copyOf(queueRules);
    }

    /**
     * The page about one live job; see {@link JobView} for the times.
     *
     * @param attainedMillis time running in earlier spans; the span that is open since {@code runningMillis} is not in it
     * @param attainedGpuMillis the same times the GPUs held
     * @param paceSinceMillis when the pace last changed
     * @param attemptWorkMicro work of this attempt up to then, in millionths of reference-milliseconds
     * @param outOfMemory how often it ran out of GPU memory
     * @param cancelling asked to leave for good
     * @param held the GPUs of its attempt, null for none
     * @param promise the GPUs kept for it, null for none
     * @param declined null while nobody thought of pausing others for it since it waits
     */
    public record Page(
            Job job,
            JobState state,
            int attempt,
            long submittedMillis,
            long ticketMillis,
            long queuedMillis,
            long startedMillis,
            long runningMillis,
            long attainedMillis,
            long attainedGpuMillis,
            long savedWorkMillis,
            long mostWorkMillis,
            long paceMicro,
            long paceSinceMillis,
            long attemptWorkMicro,
            int preemptions,
            int outOfMemory,
            boolean cancelling,
            boolean onHold,
            @Nullable Gpus held,
            @Nullable Gpus promise,
            @Nullable Declined declined) {}

    /** That pausing so many others for a waiting job was last declined then. */
    public record Declined(long atMillis, int victims, long gainMillis, long costMillis) {}

    /** GPU numbers, ascending, and whether others may be beside the job on them. */
    public record Gpus(List<Integer> numbers, boolean shared) {
        public Gpus {
            numbers = List.copyOf(numbers);
        }

        public static @Nullable Gpus of(@Nullable Allocation allocation) {
            if (allocation == null) {
                return null;
            }
            if (allocation.size() == 1) { // most jobs
                return new Gpus(Collections.singletonList(allocation.gpu(0)), allocation.shared());
            }
            List<Integer> numbers = new ArrayList<>(allocation.size());
            for (int i = 0; i < allocation.size(); i++) {
                numbers.add(allocation.gpu(i));
            }
            return new Gpus(numbers, allocation.shared());
        }

        /** The same GPUs of a cluster; throws when it has not got them. */
        public Allocation on(Topology topology) {
            for (int gpu : numbers) {
                if (gpu < 0 || gpu >= topology.gpuCount()) {
                    throw new IllegalArgumentException(
                            "the history speaks of gpu " + gpu + "; this cluster has " + topology.gpuCount());
                }
            }
            return Allocation.of(
                    topology, numbers.stream().mapToInt(Integer::intValue).toArray(), shared);
        }
    }
}
