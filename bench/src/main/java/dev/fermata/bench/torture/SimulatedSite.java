package dev.fermata.bench.torture;

import dev.fermata.bench.torture.FaultPlan.Fault;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.NodeInventory;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineNode;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
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

    private final Map<String, SimulatedMachine> machines = new LinkedHashMap<>();
    /** Attempts that have completed, by job. */
    private final Map<Long, SimulatedAttempt> completed = new HashMap<>();
    /** Attempts whose kill came before their start, which is on its way: they never start. */
    private final Set<String> killedBefore = new HashSet<>();

    /** Reports of attempts on silent machines. */
    private final List<Report> heldBack = new ArrayList<>();

    private final SuspendedProcesses suspended = new SuspendedProcesses();
    /** What is durable of the daemon. */
    private final DurableRows rows;

    private record Report(SimulatedAttempt attempt, EngineEvent event) {}

    private long nextExternalId = 4711;
    private Consumer<EngineEvent> listener = event -> {};

    SimulatedSite(VirtualTime time, FaultPlan faults, Trace trace, Chance chance, DurableRows rows) {
        this.time = time;
        this.faults = faults;
        this.trace = trace;
        this.chance = chance;
        this.rows = rows;
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
                    if (order.type() == EngineOrder.Type.KILL) {
                        killedBefore.add(order.id().attemptName());
                    }
                    listener.accept(
                            new EngineEvent.OrderFailed(order.id(), FailureKind.PERMANENT, "there is no such attempt"));
                } else if (isSilent(known)) {
                    refuseForNow(order, known.machines + " is silent");
                } else {
                    listener.accept(new EngineEvent.Accepted(order.id(), known.externalId));
                    boolean wasSuspended =
                            order.type() == EngineOrder.Type.KILL && suspended.remove(known.name()) != null;
                    if (known.end == null) {
                        terminate(order, known);
                    } else if (!wasSuspended) {
                        listener.accept(known.end);
                    }
                }
            }
        }
    }

    private void refuseForNow(EngineOrder order, String why) {
        trace.add("site", order.id() + " is refused for now: " + why);
        listener.accept(new EngineEvent.OrderFailed(order.id(), FailureKind.TRANSIENT, why));
    }

    /** Whether it is unknown what became of it. */
    private boolean isSilent(SimulatedAttempt attempt) {
        return attempt.accepted
                && attempt.machines.stream().anyMatch(machine -> Objects.requireNonNull(machines.get(machine)).silent);
    }

    /** Whether the daemon counts it as lost with a silent machine; it may run after all. */
    boolean isGivenUp(SimulatedAttempt attempt) {
        return attempt.machines.stream().anyMatch(machine -> Objects.requireNonNull(machines.get(machine)).wasSilent)
                && rows.attempt(attempt.jobId, attempt.attempt)
                        .filter(row -> row.outcome().equals(Outcome.LOST.name()))
                        .isPresent();
    }

    private void start(Launch launch, @Nullable SimulatedAttempt known, Topology cluster) {
        EngineOrder.Start order = new EngineOrder.Start(launch);
        if ((known != null && !known.accepted)
                || killedBefore.contains(order.id().attemptName())) {
            listener.accept(new EngineEvent.OrderFailed(order.id(), FailureKind.PERMANENT, "it was given up"));
        } else if (known != null) {
            listener.accept(new EngineEvent.Accepted(order.id(), known.externalId));
            if (known.end != null && !isSilent(known)) {
                listener.accept(known.end);
            }
        } else {
            begin(launch, order, cluster);
        }
    }

    private void begin(Launch launch, EngineOrder.Start order, Topology cluster) {
        SimulatedAttempt attempt =
                new SimulatedAttempt(launch, "x" + nextExternalId, scriptOf(launch), cluster, time.nowMillis());
        for (String machine : attempt.machines) {
            if (Objects.requireNonNull(machines.get(machine)).silent) {
                refuseForNow(order, machine + " is silent");
                return;
            }
        }
        for (SimulatedAttempt other : live.values()) {
            if (isGivenUp(other) && (other.jobId == attempt.jobId || overlap(other, attempt))) {
                refuseForNow(order, other.name() + " is still there");
                return;
            }
        }
        nextExternalId++;
        attempts.put(attempt.name(), attempt);
        if (attempt.isResumed() && !suspended.has(attempt.processName())) {
            end(attempt, Outcome.LOST, null);
            listener.accept(
                    new EngineEvent.OrderFailed(order.id(), FailureKind.PERMANENT, "its suspended processes are gone"));
            lose(attempt);
            return;
        }
        String unusable = attempt.devices.stream()
                .filter(gpu -> !isUsable(gpu))
                .findFirst()
                .orElse("");
        if (!unusable.isEmpty() || faults.happens(Fault.START_REFUSED)) {
            end(attempt, Outcome.LOST, null);
            int node = IntStream.range(0, cluster.gpuCount())
                    .filter(gpu -> cluster.gpuId(gpu).equals(unusable))
                    .map(cluster::nodeOf)
                    .findFirst()
                    .orElse(-1);
            listener.accept(new EngineEvent.OrderFailed(
                    order.id(),
                    FailureKind.PERMANENT,
                    unusable.isEmpty() ? "no such image" : unusable + " cannot be used",
                    node));
            return;
        }
        attempt.accepted = true;
        claim(attempt);
        trace.add("site", "attempt " + attempt.name() + " is placed on " + attempt.devices);
        listener.accept(new EngineEvent.Accepted(order.id(), attempt.externalId));
        if (!faults.happens(Fault.START_NEVER_HAPPENS)) {
            time.after(chance.logUniform(1, 5_000), () -> run(attempt));
        }
    }

    private static boolean overlap(SimulatedAttempt one, SimulatedAttempt other) {
        return !(one.shared && other.shared) && one.devices.stream().anyMatch(other.devices::contains);
    }

    private JobScript scriptOf(Launch launch) {
        JobScript script = scripts.get(launch.spec().name());
        BrokenLaw.require(
                script != null,
                "only submitted jobs are started",
                () -> launch.spec().name());
        return Objects.requireNonNull(script);
    }

    /** The law of capacity, and that of one live attempt, in the engine's own books. */
    private void claim(SimulatedAttempt attempt) {
        SimulatedAttempt earlier = completed.get(attempt.jobId);
        BrokenLaw.require(
                earlier == null || isGivenUp(earlier),
                "nothing is run twice",
                () -> "attempt " + attempt.name() + " starts, but an earlier attempt has completed");
        for (SimulatedAttempt other : live.values()) {
            BrokenLaw.require(
                    other.jobId != attempt.jobId,
                    "at most one live attempt of a job",
                    () -> other.name() + " is live while " + attempt.name() + " starts");
            BrokenLaw.require(
                    !overlap(other, attempt),
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
        SuspendedProcesses.Suspended resumed = suspended.remove(attempt.processName());
        attempt.running = true;
        attempt.earlierWorkMillis =
                resumed == null ? savedMillis.getOrDefault(attempt.jobId, 0L) : resumed.workMillis();
        long load = resumed == null ? attempt.script.loadMillis() : Math.min(500, attempt.script.loadMillis());
        attempt.runningMillis = time.nowMillis() + load;
        tell(attempt, new EngineEvent.Bound(attempt.jobId, attempt.attempt, attempt.devices));
        time.after(load, () -> {
            if (attempt.end == null) {
                reportRunning(attempt);
            }
        });
        long left = Math.max(0, attempt.script.workMillis() - attempt.earlierWorkMillis);
        if (faults.happens(Fault.ATTEMPT_LOST)) {
            time.after(chance.logUniform(1, load + left + 1), () -> end(attempt, Outcome.LOST, null));
        }
        time.after(load + left, () -> {
            if (attempt.signalledMillis < 0 || !(attempt.script.saves() || attempt.suspending)) {
                boolean fails = attempt.script.fails();
                end(attempt, fails ? Outcome.FAILED : Outcome.COMPLETED, fails ? 3 : 0);
            }
        });
    }

    private void reportRunning(SimulatedAttempt attempt) {
        tell(
                attempt,
                new EngineEvent.StateChanged(new Event.Running(attempt.jobId, attempt.attempt, Speed.UNIT), null));
    }

    /** Reports of an attempt wait until all of its machines are heard. */
    private void tell(SimulatedAttempt attempt, EngineEvent event) {
        if (isSilent(attempt)) {
            heldBack.add(new Report(attempt, event));
        } else {
            listener.accept(event);
        }
    }

    private void terminate(EngineOrder order, SimulatedAttempt attempt) {
        switch (order.type()) {
            case KILL -> time.after(chance.logUniform(1, 2_000), () -> end(attempt, Outcome.CANCELLED, null));
            case PREEMPT -> {
                EngineOrder.Preempt preempt = (EngineOrder.Preempt) order;
                if (attempt.signalledMillis >= 0) {
                    return;
                }
                if (preempt.way() == PreemptWay.SUSPEND) {
                    suspend(attempt);
                    return;
                }
                attempt.signalledMillis = time.nowMillis();
                long grace = preempt.graceMillis();
                boolean saves = attempt.script.saves() && attempt.running && attempt.script.saveMillis() <= grace;
                time.after(
                        saves ? attempt.script.saveMillis() : grace,
                        () -> end(attempt, saves ? Outcome.PREEMPTED : Outcome.LOST, saves ? 0 : null));
            }
            case START, ADOPT, LIMIT -> {} // ends nothing
        }
    }

    private void suspend(SimulatedAttempt attempt) {
        if (!attempt.running || attempt.runningMillis > time.nowMillis() || faults.happens(Fault.SUSPEND_FAILS)) {
            tell(
                    attempt,
                    new EngineEvent.StateChanged(
                            new Event.SuspendFailed(
                                    attempt.jobId, attempt.attempt, Speed.UNIT, "the driver refuses", chance.oneIn(2)),
                            null));
            return;
        }
        attempt.signalledMillis = time.nowMillis();
        attempt.suspending = true;
        time.after(chance.logUniform(100, 10_000), () -> {
            if (attempt.end == null) {
                suspended.add(attempt, attempt.earlierWorkMillis + attempt.workedMillis(time.nowMillis()));
                end(attempt, Outcome.SUSPENDED, null);
            }
        });
    }

    /** Suspended processes are gone. */
    private void lose(SimulatedAttempt last) {
        trace.add("site", "suspended processes " + last.processName() + " are gone");
        tell(
                last,
                new EngineEvent.StateChanged(
                        new Event.SuspensionLost(last.jobId, "its suspended processes are gone"), null));
    }

    private void end(SimulatedAttempt attempt, Outcome outcome, @Nullable Integer code) {
        if (attempt.end != null) {
            return;
        }
        long now = time.nowMillis();
        long inMemory = attempt.earlierWorkMillis + attempt.workedMillis(now);
        if (outcome == Outcome.PREEMPTED || outcome == Outcome.COMPLETED) {
            savedMillis.put(attempt.jobId, inMemory);
        }
        long onDisk = savedMillis.getOrDefault(attempt.jobId, 0L);
        attempt.end = attempt.endedAs(outcome, code, outcome == Outcome.SUSPENDED ? inMemory : onDisk, now);
        if (outcome == Outcome.COMPLETED) {
            completed.put(attempt.jobId, attempt);
        }
        live.remove(attempt.name());
        if (attempt.accepted) {
            trace.add("site", "attempt " + attempt.name() + " ends as " + outcome);
            if (!attempt.unwanted) {
                tell(attempt, attempt.end);
            }
        }
    }

    // ---- what a connection asks ----

    /** Ends what no daemon expects, and reports the state of what was accepted. */
    void reconcile(ExpectedAttempts expected, Topology cluster) {
        List<String> known = expected.all()
                .map(launch -> launch.jobId() + "." + launch.attempt())
                .toList();
        List<String> processes = expected.all().map(Launch::processName).toList();
        suspended.removeIf(one -> !processes.contains(one.last().processName()));
        for (SimulatedAttempt attempt : List.copyOf(live.values())) {
            if (!known.contains(attempt.name())) {
                attempt.unwanted = true;
                BrokenLaw.require(
                        rows.attempt(attempt.jobId, attempt.attempt)
                                .filter(row -> row.outcome().isEmpty())
                                .isEmpty(),
                        "what holds GPUs in the scheduler is expected at the engine",
                        () -> attempt.name() + " is not among " + known);
                if (!isSilent(attempt)) {
                    end(attempt, Outcome.LOST, null);
                }
            }
        }
        machines.values().forEach(this::report);
        expected.accepted().forEach(launch -> find(launch, cluster));
        expected.suspended().stream()
                .filter(launch -> !suspended.has(launch.processName()))
                .forEach(launch -> lose(find(launch, cluster)));
    }

    /** Reports the state of an attempt; one that is not there can never start later. */
    private SimulatedAttempt find(Launch launch, Topology cluster) {
        SimulatedAttempt found = attempts.get(launch.jobId() + "." + launch.attempt());
        if (found == null) {
            found = new SimulatedAttempt(launch, "", scriptOf(launch), cluster, time.nowMillis());
            attempts.put(found.name(), found);
            end(found, Outcome.LOST, null);
        }
        if (found.end != null) {
            tell(found, found.end); // later, where its machine is silent
        } else if (!isSilent(found) && found.running && found.runningMillis <= time.nowMillis()) {
            reportRunning(found);
        }
        return found;
    }

    // ---- machines ----

    Collection<SimulatedMachine> machines() {
        return machines.values();
    }

    void addMachine(SimulatedMachine machine) {
        machines.put(machine.id, machine);
    }

    /** The cluster as an engine finds it now. */
    Topology topology() {
        Topology.Builder builder = Topology.builder();
        for (SimulatedMachine machine : machines.values()) {
            Map<GpuType, List<String>> byType = new LinkedHashMap<>();
            for (EngineNode.Gpu gpu : machine.present ? machine.gpus() : List.<EngineNode.Gpu>of()) {
                byType.computeIfAbsent(gpu.type(), type -> new ArrayList<>()).add(gpu.id());
            }
            EngineNode node = machine.describe();
            byType.forEach((type, ids) -> builder.rack(node.rack())
                    .node(
                            node.name(),
                            type,
                            ids.size(),
                            node.host().cpuMilli(),
                            node.host().memoryMib(),
                            new NodeInventory(node.id(), ids, List.of()).withLabels(node.labels())));
        }
        return builder.build();
    }

    /** The machine has changed: attempts end with what they ran on, and what is known now is reported. */
    void changed(SimulatedMachine machine, String how) {
        trace.add("site", machine.id + " " + how);
        machine.wasSilent |= machine.silent;
        for (SimulatedAttempt attempt : List.copyOf(live.values())) {
            if (attempt.machines.contains(machine.id)) {
                boolean gone = !attempt.devices.stream().allMatch(this::exists);
                if (gone || (attempt.unwanted && !isSilent(attempt))) {
                    end(attempt, Outcome.LOST, null);
                }
            }
        }
        suspended
                .removeIf(one -> one.last().machines.contains(machine.id) && !(machine.up && machine.present))
                .forEach(one -> lose(one.last()));
        List<Report> waiting = List.copyOf(heldBack);
        heldBack.clear();
        waiting.forEach(report -> tell(report.attempt(), report.event()));
        report(machine);
    }

    private void report(SimulatedMachine machine) {
        machine.report().forEach(listener);
    }

    private boolean exists(String gpu) {
        return machines.values().stream().anyMatch(machine -> machine.up && machine.has(gpu));
    }

    private boolean isUsable(String gpu) {
        return machines.values().stream()
                .anyMatch(machine -> machine.up && machine.has(gpu) && !machine.foreignGpus.contains(gpu));
    }

    boolean isUsed(String gpu) {
        return live.values().stream().anyMatch(attempt -> attempt.devices.contains(gpu));
    }

    // ---- for the laws ----

    Collection<SimulatedAttempt> liveAttempts() {
        return live.values();
    }

    SuspendedProcesses suspended() {
        return suspended;
    }

    /** Whether it has completed, and the daemon could know. */
    boolean hasCompleted(long job) {
        SimulatedAttempt attempt = completed.get(job);
        return attempt != null && !isGivenUp(attempt);
    }

    /** Whether an attempt of the job ended by itself with an error. */
    boolean hasFailed(long job) {
        return attempts.values().stream()
                .anyMatch(attempt -> attempt.jobId == job && attempt.hasEndedAs(Outcome.FAILED));
    }
}
