package dev.fermata.bench.torture;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Where attempts really run, in virtual time, with books of its own: which attempt is on which device. It outlives daemons
 * and connections, and carries out every order that reaches it, from any daemon, at any time.
 */
final class SimulatedSite {
    private final VirtualTime time;
    private final FaultPlan faults;
    private final Trace trace;
    private final Chance chance;
    private final Map<String, SimulatedAttempt> attempts = new LinkedHashMap<>();
    private final Map<String, SimulatedAttempt> live = new LinkedHashMap<>();
    private final Map<String, JobScript> scripts = new HashMap<>();
    /** Work saved by earlier attempts, on storage that every node sees. */
    private final Map<Long, Long> savedMillis = new HashMap<>();

    private final TreeMap<String, Boolean> nodesUp = new TreeMap<>();
    /** Jobs with a completed attempt. */
    private final TreeSet<Long> completed = new TreeSet<>();

    private long nextExternalId = 4711;
    private Consumer<EngineEvent> listener = event -> {};

    /** One attempt, and what it would report. */
    static final class SimulatedAttempt {
        final long jobId;
        final int attempt;
        final String externalId;
        final List<String> devices;
        final TreeSet<String> nodes;
        final boolean shared;
        final JobScript script;
        final long acceptedMillis;
        boolean accepted;
        boolean running;
        long runningMillis;
        long signalledMillis = -1;
        boolean unwanted;

        EngineEvent.@Nullable StateChanged end;

        SimulatedAttempt(Launch launch, String externalId, JobScript script, Topology cluster, long nowMillis) {
            this.jobId = launch.jobId();
            this.attempt = launch.attempt();
            this.externalId = externalId;
            this.script = script;
            this.acceptedMillis = nowMillis;
            shared = launch.allocation().shared();
            int[] gpus = launch.allocation().toArray();
            devices = IntStream.of(gpus).mapToObj(cluster::gpuId).toList();
            nodes = IntStream.of(gpus)
                    .mapToObj(gpu -> cluster.node(cluster.nodeOf(gpu)).name())
                    .collect(Collectors.toCollection(TreeSet::new));
        }

        String name() {
            return jobId + "." + attempt;
        }
    }

    SimulatedSite(VirtualTime time, FaultPlan faults, Trace trace, Chance chance, List<String> nodes) {
        this.time = time;
        this.faults = faults;
        this.trace = trace;
        this.chance = chance;
        nodes.forEach(node -> nodesUp.put(node, true));
    }

    /** What jobs of this name do. */
    void setScript(String jobName, JobScript script) {
        scripts.put(jobName, script);
    }

    /** News go to this connection from now on. */
    void connect(Consumer<EngineEvent> connection) {
        listener = connection;
    }

    // ---- orders ----

    /** Carries out an order that has arrived, and answers it. The numbers of GPUs are those of {@code cluster}. */
    void carryOut(EngineOrder order, Topology cluster) {
        SimulatedAttempt known = attempts.get(order.id().attemptName());
        switch (order.type()) {
            case START -> start(((EngineOrder.Start) order).launch(), known, cluster);
            case ADOPT -> {
                SimulatedAttempt found = find(((EngineOrder.Adopt) order).launch(), cluster);
                if (found.end == null) {
                    listener.accept(new EngineEvent.Accepted(order.id(), found.externalId));
                }
            }
            case PREEMPT, KILL, LIMIT -> {
                if (known == null) {
                    listener.accept(
                            new EngineEvent.OrderFailed(order.id(), FailureKind.PERMANENT, "there is no such attempt"));
                    return;
                }
                listener.accept(new EngineEvent.Accepted(order.id(), known.externalId));
                if (known.end != null) {
                    listener.accept(known.end);
                } else {
                    terminate(order, known);
                }
            }
        }
    }

    private void start(Launch launch, @Nullable SimulatedAttempt known, Topology cluster) {
        EngineOrder.Start order = new EngineOrder.Start(launch);
        if (known != null && !known.accepted) {
            listener.accept(new EngineEvent.OrderFailed(order.id(), FailureKind.PERMANENT, "it was given up"));
        } else if (known != null) {
            listener.accept(new EngineEvent.Accepted(order.id(), known.externalId));
            if (known.end != null) {
                listener.accept(known.end);
            }
        } else {
            begin(launch, order, cluster);
        }
    }

    private void begin(Launch launch, EngineOrder.Start order, Topology cluster) {
        SimulatedAttempt attempt = newAttempt(launch, "x" + nextExternalId++, cluster);
        String downNode = attempt.nodes.stream()
                .filter(node -> !nodesUp.getOrDefault(node, false))
                .findFirst()
                .orElse("");
        if (!downNode.isEmpty() || faults.happens(FaultPlan.Fault.START_REFUSED)) {
            end(attempt, Outcome.LOST, null);
            int node = IntStream.range(0, cluster.nodes().size())
                    .filter(index -> cluster.node(index).name().equals(downNode))
                    .findFirst()
                    .orElse(-1);
            listener.accept(new EngineEvent.OrderFailed(
                    order.id(),
                    FailureKind.PERMANENT,
                    downNode.isEmpty() ? "no such image" : downNode + " is down",
                    node));
            return;
        }
        attempt.accepted = true;
        claim(attempt);
        trace.add("site", "attempt " + attempt.name() + " is placed on " + attempt.devices);
        listener.accept(new EngineEvent.Accepted(order.id(), attempt.externalId));
        if (!faults.happens(FaultPlan.Fault.START_NEVER_HAPPENS)) {
            time.after(chance.logUniform(1, 5_000), () -> run(attempt));
        }
    }

    private SimulatedAttempt newAttempt(Launch launch, String externalId, Topology cluster) {
        JobScript script = scripts.get(launch.spec().name());
        BrokenLaw.require(
                script != null,
                "only submitted jobs are started",
                () -> launch.spec().name());
        SimulatedAttempt attempt =
                new SimulatedAttempt(launch, externalId, Objects.requireNonNull(script), cluster, time.nowMillis());
        attempts.put(attempt.name(), attempt);
        return attempt;
    }

    /** The law of capacity, and that of one live attempt, in the engine's own books. */
    private void claim(SimulatedAttempt attempt) {
        BrokenLaw.require(
                !completed.contains(attempt.jobId),
                "nothing is run twice",
                () -> "attempt " + attempt.name() + " starts, but an earlier attempt has completed");
        for (SimulatedAttempt other : live.values()) {
            BrokenLaw.require(
                    other.jobId != attempt.jobId,
                    "at most one live attempt of a job",
                    () -> other.name() + " is live while " + attempt.name() + " starts");
            BrokenLaw.require(
                    (other.shared && attempt.shared) || other.devices.stream().noneMatch(attempt.devices::contains),
                    "no GPU is given twice",
                    () -> attempt.name() + " starts on " + attempt.devices + " while " + other.name() + " is on "
                            + other.devices);
        }
        live.put(attempt.name(), attempt);
    }

    private void run(SimulatedAttempt attempt) {
        if (attempt.end != null) {
            return;
        }
        attempt.running = true;
        attempt.runningMillis = time.nowMillis() + attempt.script.loadMillis();
        listener.accept(new EngineEvent.Bound(attempt.jobId, attempt.attempt, attempt.devices));
        time.after(attempt.script.loadMillis(), () -> {
            if (attempt.end == null) {
                reportRunning(attempt);
            }
        });
        long left = attempt.script.workMillis() - savedMillis.getOrDefault(attempt.jobId, 0L);
        if (faults.happens(FaultPlan.Fault.ATTEMPT_LOST)) {
            time.after(
                    chance.logUniform(1, attempt.script.loadMillis() + left), () -> end(attempt, Outcome.LOST, null));
        }
        time.after(attempt.script.loadMillis() + left, () -> {
            if (attempt.signalledMillis < 0 || !attempt.script.saves()) {
                boolean fails = attempt.script.fails();
                end(attempt, fails ? Outcome.FAILED : Outcome.COMPLETED, fails ? 3 : 0);
            }
        });
    }

    private void reportRunning(SimulatedAttempt attempt) {
        listener.accept(
                new EngineEvent.StateChanged(new Event.Running(attempt.jobId, attempt.attempt, Speed.UNIT), null));
    }

    private void terminate(EngineOrder order, SimulatedAttempt attempt) {
        switch (order.type()) {
            case KILL -> time.after(chance.logUniform(1, 2_000), () -> end(attempt, Outcome.CANCELLED, null));
            case PREEMPT -> {
                if (attempt.signalledMillis >= 0) {
                    return;
                }
                attempt.signalledMillis = time.nowMillis();
                long grace = ((EngineOrder.Preempt) order).graceMillis();
                boolean saves = attempt.script.saves() && attempt.running && attempt.script.saveMillis() <= grace;
                time.after(
                        saves ? attempt.script.saveMillis() : grace,
                        () -> end(attempt, saves ? Outcome.PREEMPTED : Outcome.LOST, saves ? 0 : null));
            }
            case START, ADOPT, LIMIT -> {} // ends nothing
        }
    }

    private void end(SimulatedAttempt attempt, Outcome outcome, @Nullable Integer code) {
        if (attempt.end != null) {
            return;
        }
        long now = time.nowMillis();
        long worked = attempt.running ? Math.max(0, stopMillis(attempt, now) - attempt.runningMillis) : 0;
        boolean kept = outcome == Outcome.PREEMPTED || outcome == Outcome.COMPLETED;
        long saved = savedMillis.getOrDefault(attempt.jobId, 0L) + (kept ? worked : 0);
        savedMillis.put(attempt.jobId, saved);
        long load = Math.max(0, Math.min(attempt.runningMillis, now) - attempt.acceptedMillis);
        long paused = attempt.signalledMillis < 0 ? 0 : now - stopMillis(attempt, now);
        attempt.end = new EngineEvent.StateChanged(
                new Event.AttemptEnded(
                        attempt.jobId,
                        attempt.attempt,
                        outcome,
                        new Usage(load, kept ? worked : 0, kept ? 0 : worked, paused, 0, saved)),
                new EngineEvent.AttemptExit(code, 0, outcome == Outcome.LOST ? "it is gone" : ""),
                measurements(attempt, outcome, now));
        if (outcome == Outcome.COMPLETED) {
            completed.add(attempt.jobId);
        }
        live.remove(attempt.name());
        if (attempt.accepted) {
            trace.add("site", "attempt " + attempt.name() + " ends as " + outcome);
            if (!attempt.unwanted) {
                listener.accept(attempt.end);
            }
        }
    }

    /** What the accounting of an engine would have measured: whether and how fast its program saves. */
    private static AttemptMeasurements measurements(SimulatedAttempt attempt, Outcome outcome, long now) {
        if (attempt.signalledMillis < 0 || !attempt.running) {
            return AttemptMeasurements.NONE;
        }
        boolean kept = outcome == Outcome.PREEMPTED;
        return AttemptMeasurements.NONE.withPreemption(new AttemptMeasurements.PreemptionTimes(
                kept ? now - attempt.signalledMillis : -1, kept ? attempt.script.saveMillis() : -1, kept ? 1 : 0));
    }

    /** When the attempt stopped to work: at the signal, or now. */
    private static long stopMillis(SimulatedAttempt attempt, long now) {
        return attempt.signalledMillis < 0 ? now : Math.max(attempt.runningMillis, attempt.signalledMillis);
    }

    // ---- what a connection asks ----

    /** Ends what no daemon expects, and reports the state of what was accepted. */
    void reconcile(ExpectedAttempts expected, Topology cluster) {
        List<String> known = expected.all()
                .map(launch -> launch.jobId() + "." + launch.attempt())
                .toList();
        for (SimulatedAttempt attempt : List.copyOf(live.values())) {
            if (!known.contains(attempt.name())) {
                attempt.unwanted = true;
                end(attempt, Outcome.LOST, null);
            }
        }
        reportNodes(cluster);
        expected.accepted().forEach(launch -> find(launch, cluster));
    }

    private void reportNodes(Topology cluster) {
        for (int node = 0; node < cluster.nodes().size(); node++) {
            reportNode(node, nodesUp.getOrDefault(cluster.node(node).name(), false));
        }
    }

    private void reportNode(int node, boolean up) {
        listener.accept(new EngineEvent.StateChanged(up ? new Event.NodeUp(node) : new Event.NodeDown(node), null));
    }

    /** Reports the state of an attempt; one that is not there can never start later. */
    private SimulatedAttempt find(Launch launch, Topology cluster) {
        SimulatedAttempt found = attempts.get(launch.jobId() + "." + launch.attempt());
        if (found == null) {
            found = newAttempt(launch, "", cluster);
            end(found, Outcome.LOST, null);
        }
        if (found.end != null) {
            listener.accept(found.end);
        } else if (found.running && found.runningMillis <= time.nowMillis()) {
            reportRunning(found);
        }
        return found;
    }

    // ---- nodes ----

    /** A node fails with everything on it, or is back. */
    void setNodeUp(String name, boolean up, Topology cluster) {
        if (isUp(name) == up) {
            return;
        }
        nodesUp.put(name, up);
        trace.add("site", name + (up ? " is back" : " fails"));
        for (int node = 0; node < cluster.nodes().size(); node++) {
            if (cluster.node(node).name().equals(name)) {
                reportNode(node, up);
            }
        }
        if (!up) {
            for (SimulatedAttempt attempt : List.copyOf(live.values())) {
                if (attempt.nodes.contains(name)) {
                    end(attempt, Outcome.LOST, null);
                }
            }
        }
    }

    List<String> nodeNames() {
        return List.copyOf(nodesUp.keySet());
    }

    boolean isUp(String node) {
        return nodesUp.getOrDefault(node, false);
    }

    // ---- for the laws ----

    Collection<SimulatedAttempt> liveAttempts() {
        return live.values();
    }

    boolean hasCompleted(long job) {
        return completed.contains(job);
    }

    /** Whether an attempt of the job ended by itself with an error. */
    boolean hasFailed(long job) {
        return attempts.values().stream()
                .anyMatch(attempt -> attempt.jobId == job
                        && attempt.end != null
                        && ((Event.AttemptEnded) attempt.end.event()).outcome() == Outcome.FAILED);
    }
}
