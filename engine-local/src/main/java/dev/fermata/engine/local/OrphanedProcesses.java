package dev.fermata.engine.local;

import dev.fermata.live.attempt.SteadyClock;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Processes of attempts that the daemon does not expect. */
record OrphanedProcesses(String markerPrefix, Set<String> known, Predicate<String> registered) {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanedProcesses.class);
    private static final long KILL_MILLIS = 10_000;

    /** Kills them, for a limited time. */
    void kill() throws InterruptedException {
        long until = SteadyClock.elapsed() + KILL_MILLIS;
        List<Proc> orphans = find();
        if (!orphans.isEmpty()) {
            LOG.warn("unexpected attempts: killing their processes ({})", orphans.size());
        }
        while (!orphans.isEmpty() && SteadyClock.elapsed() < until) {
            orphans.forEach(Proc::kill);
            Thread.sleep(5);
            orphans = find();
        }
    }

    private List<Proc> find() {
        return Proc.listAll().stream()
                .filter(proc -> !proc.isSelf())
                .filter(proc -> {
                    String id = AttemptMarkers.of(proc);
                    return id != null && id.startsWith(markerPrefix) && !known.contains(id) && !registered.test(id);
                })
                .toList();
    }
}
