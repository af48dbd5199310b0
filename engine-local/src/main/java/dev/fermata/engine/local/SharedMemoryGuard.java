package dev.fermata.engine.local;

import dev.fermata.live.profile.MemorySizing;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Protects the memory reservations of co-located jobs. A job slightly above its reservation uses the reserve that every GPU
 * keeps; it gets a warning. A job far above it is killed before the GPU is full, if another job shares its GPU. Alone on its
 * GPUs an attempt may use all memory.
 */
final class SharedMemoryGuard {
    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryGuard.class);
    private static final long GRACE_MILLIS = 10_000;

    private SharedMemoryGuard() {}

    static void check(Collection<LocalAttempt> attempts, Hardware hardware) {
        Map<Integer, List<LocalAttempt>> byGpu = new HashMap<>();
        for (LocalAttempt attempt : attempts) {
            for (int gpu : attempt.launch().allocation().toArray()) {
                byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(attempt);
            }
        }
        byGpu.forEach((gpu, sharing) -> {
            if (sharing.size() > 1) {
                int slack = MemorySizing.headroomMib(hardware.memoryMib(gpu)) / 2;
                sharing.forEach(attempt -> check(attempt, slack));
            }
        });
    }

    private static void check(LocalAttempt attempt, int slackMib) {
        int reservedMib = attempt.launch().gpuMemoryReservationMib();
        int heldMib = attempt.gpuUsage().currentMib();
        if (reservedMib <= 0 || heldMib <= reservedMib || attempt.isEnded()) {
            return;
        }
        if (heldMib <= reservedMib + slackMib) {
            if (attempt.gpuUsage().markWarned()) {
                LOG.warn("attempt {}: holds {} MiB of a shared GPU, reserved {} MiB", attempt, heldMib, reservedMib);
            }
            return;
        }
        LOG.warn("attempt {}: holds {} MiB of a shared GPU, reserved {} MiB; killed", attempt, heldMib, reservedMib);
        attempt.gpuUsage().markOverLimit();
        attempt.terminate(
                AttemptFolder.TerminationCause.MEMORY_OVERUSE,
                Math.min(GRACE_MILLIS, attempt.launch().spec().preempt().graceMillis()));
    }
}
