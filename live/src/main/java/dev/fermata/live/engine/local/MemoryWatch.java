package dev.fermata.live.engine.local;

import dev.fermata.live.learn.MemoryPromise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it that nobody on a shared GPU takes what others were promised. Who holds a little more than it promised lives on what every
 * GPU keeps in reserve, and is warned of; who holds more than that while others are beside it is ended before the GPU is full. Alone on its
 * GPUs an attempt may hold what it likes until somebody comes.
 */
final class MemoryWatch {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final long GRACE_MILLIS = 10_000;

    private MemoryWatch() {}

    static void look(Collection<Attempt> attempts, Hardware hardware) {
        Map<Integer, List<Attempt>> byGpu = new HashMap<>();
        for (Attempt attempt : attempts) {
            for (int gpu : attempt.launch().allocation().toArray()) {
                byGpu.computeIfAbsent(gpu, g -> new ArrayList<>()).add(attempt);
            }
        }
        byGpu.forEach((gpu, together) -> {
            if (together.size() > 1) {
                int slack = MemoryPromise.reserveMib(hardware.memoryMib(gpu)) / 2;
                together.forEach(attempt -> look(attempt, slack));
            }
        });
    }

    private static void look(Attempt attempt, int slackMib) {
        int promised = attempt.launch().promisedMib();
        int holds = attempt.use().nowMib();
        if (promised <= 0 || holds <= promised || attempt.isOver()) {
            return;
        }
        if (holds <= promised + slackMib) {
            if (attempt.use().warn()) {
                LOG.warn("job {} holds {} MiB of a shared GPU and promised {} MiB", attempt, holds, promised);
            }
            return;
        }
        LOG.warn("job {} holds {} MiB of a shared GPU and promised {} MiB: it is ended", attempt, holds, promised);
        attempt.use().outgrow();
        attempt.leave(
                RunFolder.Why.MEMORY,
                Math.min(GRACE_MILLIS, attempt.launch().spec().preempt().graceMillis()));
    }
}
