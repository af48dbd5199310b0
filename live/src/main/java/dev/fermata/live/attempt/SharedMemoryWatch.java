package dev.fermata.live.attempt;

import dev.fermata.core.model.Topology;
import dev.fermata.live.profile.MemorySizing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects the memory reservations of co-located jobs. A job slightly above its reservation uses the reserve that every GPU
 * keeps; it gets a warning. A job far above it is ended before the GPU is full, if another job shares its GPU. Alone on its
 * GPUs an attempt may use all memory. It never measures: engines and scripts do.
 */
final class SharedMemoryWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryWatch.class);
    private static final long GRACE_MILLIS = 10_000;

    private SharedMemoryWatch() {}

    static void check(Collection<AttemptAccounting> attempts, Topology cluster) {
        Map<Integer, List<AttemptAccounting>> byGpu = new TreeMap<>();
        for (AttemptAccounting attempt : attempts) {
            for (int gpu : attempt.launch().allocation().toArray()) {
                byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(attempt);
            }
        }
        byGpu.forEach((gpu, sharing) -> {
            if (sharing.size() > 1) {
                int memoryMib = cluster.types().get(cluster.typeOf(gpu)).memoryMib();
                int slack = MemorySizing.headroomMib(memoryMib) / 2;
                sharing.forEach(attempt -> check(attempt, slack));
            }
        });
    }

    private static void check(AttemptAccounting attempt, int slackMib) {
        int reservedMib = attempt.launch().gpuMemoryReservationMib();
        int heldMib = attempt.gpuUsage().currentMib();
        if (reservedMib <= 0 || heldMib <= reservedMib || attempt.mustExit()) {
            return;
        }
        if (heldMib <= reservedMib + slackMib) {
            if (attempt.gpuUsage().markWarned()) {
                LOG.warn("attempt {}: holds {} MiB of a shared GPU, reserved {} MiB", attempt, heldMib, reservedMib);
            }
            return;
        }
        LOG.warn("attempt {}: holds {} MiB of a shared GPU, reserved {} MiB; ended", attempt, heldMib, reservedMib);
        attempt.terminate(
                TerminationCause.MEMORY_OVERUSE,
                Math.min(GRACE_MILLIS, attempt.launch().spec().preempt().graceMillis()));
    }
}
