package dev.fermata.bench.torture;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One attempt at the site, and what it would report. */
final class SimulatedAttempt {
    final long jobId;
    final int attempt;
    /** The attempt that started its processes, which were suspended since; else its own number. */
    final int process;

    final String externalId;
    final List<String> devices;
    /** The ids of its machines. */
    final TreeSet<String> machines;

    final boolean shared;
    final JobScript script;
    final long acceptedMillis;
    boolean accepted;
    boolean running;
    long runningMillis;
    /** Work of the job before it. */
    long earlierWorkMillis;

    long signalledMillis = -1;
    boolean suspending;
    boolean unwanted;
    EngineEvent.@Nullable StateChanged end;

    SimulatedAttempt(Launch launch, String externalId, JobScript script, Topology cluster, long nowMillis) {
        this.jobId = launch.jobId();
        this.attempt = launch.attempt();
        this.process = launch.process();
        this.externalId = externalId;
        this.script = script;
        this.acceptedMillis = nowMillis;
        shared = launch.allocation().shared();
        int[] gpus = launch.allocation().toArray();
        devices = IntStream.of(gpus).mapToObj(cluster::gpuId).toList();
        machines = IntStream.of(gpus)
                .mapToObj(gpu -> machineOf(cluster.node(cluster.nodeOf(gpu)).id()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Nodes for further GPUs of a machine have a suffix. */
    private static String machineOf(String node) {
        int suffix = node.indexOf('~');
        return suffix < 0 ? node : node.substring(0, suffix);
    }

    String name() {
        return jobId + "." + attempt;
    }

    String processName() {
        return jobId + "." + process;
    }

    boolean isResumed() {
        return process != attempt;
    }

    /** Work that it has done, from its first step to the signal or now. */
    long workedMillis(long nowMillis) {
        return running ? Math.max(0, stopMillis(nowMillis) - runningMillis) : 0;
    }

    /** When it stopped to work. */
    private long stopMillis(long nowMillis) {
        return signalledMillis < 0 ? nowMillis : Math.max(runningMillis, signalledMillis);
    }

    /** Its end as an engine reports it. */
    EngineEvent.StateChanged endedAs(Outcome outcome, @Nullable Integer code, long savedWorkMillis, long nowMillis) {
        boolean kept = outcome == Outcome.PREEMPTED || outcome == Outcome.COMPLETED || outcome == Outcome.SUSPENDED;
        long worked = workedMillis(nowMillis);
        long load = Math.max(0, Math.min(runningMillis, nowMillis) - acceptedMillis);
        long paused = signalledMillis < 0 ? 0 : nowMillis - stopMillis(nowMillis);
        return new EngineEvent.StateChanged(
                new Event.AttemptEnded(
                        jobId,
                        attempt,
                        outcome,
                        new Usage(load, kept ? worked : 0, kept ? 0 : worked, paused, 0, savedWorkMillis)),
                new EngineEvent.AttemptExit(code, 0, outcome == Outcome.LOST ? "it is gone" : ""),
                measurements(outcome, nowMillis));
    }

    /** What the accounting of an engine would have measured: whether and how fast its program saves. */
    private AttemptMeasurements measurements(Outcome outcome, long nowMillis) {
        if (signalledMillis < 0 || !running || suspending) {
            return AttemptMeasurements.NONE;
        }
        boolean kept = outcome == Outcome.PREEMPTED;
        return AttemptMeasurements.NONE.withPreemption(new AttemptMeasurements.PreemptionTimes(
                kept ? nowMillis - signalledMillis : -1, kept ? script.saveMillis() : -1, kept ? 1 : 0));
    }

    boolean hasEndedAs(Outcome outcome) {
        return end != null && ((Event.AttemptEnded) end.event()).outcome() == outcome;
    }
}
