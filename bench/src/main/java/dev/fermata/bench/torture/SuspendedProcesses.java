package dev.fermata.bench.torture;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** What is suspended at the site, by the name of the attempt that started it. It holds no GPU. */
final class SuspendedProcesses {
    /**
     * @param last the attempt that was suspended
     * @param workMillis what they have done, saved or not
     */
    record Suspended(SimulatedAttempt last, long workMillis) {}

    private final Map<String, Suspended> byProcess = new LinkedHashMap<>();

    void add(SimulatedAttempt attempt, long workMillis) {
        byProcess.put(attempt.processName(), new Suspended(attempt, workMillis));
    }

    boolean has(String process) {
        return byProcess.containsKey(process);
    }

    /** They are resumed or killed; null where there are none. */
    @Nullable
    Suspended remove(String process) {
        return byProcess.remove(process);
    }

    /** They are gone; returns them. */
    List<Suspended> removeIf(Predicate<Suspended> isGone) {
        List<Suspended> gone = byProcess.values().stream().filter(isGone).toList();
        byProcess.values().removeAll(gone);
        return gone;
    }

    boolean isEmpty() {
        return byProcess.isEmpty();
    }

    @Override
    public String toString() {
        return byProcess.keySet().toString();
    }
}
