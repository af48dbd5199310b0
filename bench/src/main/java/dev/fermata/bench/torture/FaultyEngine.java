package dev.fermata.bench.torture;

import dev.fermata.bench.torture.FaultPlan.Fault;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SuspendCosts;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.OrderId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The engine of one daemon: a faulty connection to the site. It loses, doubles, delays and refuses orders, repeats answers,
 * invents some, and is away for a while. News of one attempt keep their order, and none is lost while the daemon lives.
 */
final class FaultyEngine implements ExecutionEngine {
    private static final long LONGEST_DELAY_MILLIS = 5_400_000;

    private final Topology topology;
    private final boolean suspends;
    private final SimulatedSite site;
    private final VirtualTime time;
    private final FaultPlan faults;
    private final Chance chance;
    private final Trace trace;
    private final List<EngineEvent> undelivered = new ArrayList<>();
    private final Map<String, Long> lastDelivery = new HashMap<>();
    private long lastOfAll;
    private @Nullable Consumer<EngineEvent> inbox;
    private Topology cluster;
    private @Nullable ExpectedAttempts unreconciled;
    private boolean connected = true;
    private boolean announced;

    /** @param suspends whether it can suspend jobs in place */
    FaultyEngine(boolean suspends, SimulatedSite site, VirtualTime time, FaultPlan faults, Chance chance, Trace trace) {
        this.suspends = suspends;
        this.topology = site.topology();
        this.cluster = topology;
        this.site = site;
        this.time = time;
        this.faults = faults;
        this.chance = chance;
        this.trace = trace;
    }

    @Override
    public String name() {
        return "simulated";
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public SuspendCosts suspendCosts() {
        return suspends ? SuspendCosts.measured(1024, SuspendCosts.Reach.SAME_NODE) : SuspendCosts.CANNOT;
    }

    @Override
    public Capabilities capabilities() {
        return new Capabilities(
                Set.of(Capabilities.Feature.EXACT_DEVICES, Capabilities.Feature.SEVERAL_NODES),
                Long.MAX_VALUE,
                300_000,
                Set.of());
    }

    @Override
    public void open(Topology numbered, ExpectedAttempts expected, Consumer<EngineEvent> events) {
        killIf(Fault.KILLED_IN_RECOVERY, "before it opens the engine");
        cluster = numbered;
        inbox = events;
        site.connect(this::report);
        unreconciled = expected;
        time.after(chance.logUniform(1, faults.isHealed() ? 100 : 20_000), this::reconcile);
        killIf(Fault.KILLED_IN_RECOVERY, "after it opened the engine");
    }

    private void killIf(Fault fault, String where) {
        if (faults.happens(fault)) {
            throw new DaemonKilled(where);
        }
    }

    @Override
    public void clusterChanged(Topology numbered) {
        cluster = numbered;
    }

    private void reconcile() {
        ExpectedAttempts expected = unreconciled;
        if (inbox == null || expected == null || !connected) {
            return;
        }
        unreconciled = null;
        trace.add(
                "engine",
                "reconciles; accepted: " + names(expected.accepted()) + ", unconfirmed: "
                        + names(expected.unconfirmed()));
        site.reconcile(expected, cluster);
        report(new EngineEvent.Reachable());
    }

    private static List<String> names(List<Launch> launches) {
        return launches.stream()
                .map(launch -> launch.jobId() + "." + launch.attempt())
                .toList();
    }

    // ---- orders ----

    @Override
    public void submit(EngineOrder order) {
        if (faults.happens(Fault.KILLED_BETWEEN_ORDERS)) {
            if (chance.oneIn(2)) {
                send(order, "sent, then ");
            }
            throw new DaemonKilled("at the order " + order.id());
        }
        if (faults.happens(Fault.ORDER_LOST)) {
            trace.add("engine", order.id() + " is lost");
            return;
        }
        send(order, "");
        if (faults.happens(Fault.ORDER_DOUBLED)) {
            send(order, "doubled: ");
        }
    }

    private void send(EngineOrder order, String how) {
        boolean late = faults.happens(Fault.ORDER_LATE);
        long delay = late ? chance.logUniform(1_000, LONGEST_DELAY_MILLIS) : chance.logUniform(1, 200);
        trace.add("engine", how + order.id() + (late ? " arrives in " + delay + " ms" : ""));
        Topology numbered = cluster;
        time.after(delay, () -> arrive(order, numbered));
    }

    private void arrive(EngineOrder order, Topology numbered) {
        if (!connected) {
            return; // lost on the way
        }
        if (faults.happens(Fault.ORDER_REFUSED_FOR_NOW)) {
            trace.add("engine", order.id() + " is refused for now");
            report(new EngineEvent.OrderFailed(order.id(), FailureKind.TRANSIENT, "the controller is busy"));
            return;
        }
        site.carryOut(order, numbered);
    }

    // ---- news ----

    private void report(EngineEvent event) {
        if (inbox == null) {
            return; // of a daemon that is gone
        }
        if (!connected) {
            undelivered.add(event);
            return;
        }
        deliverLater(event);
        if (!key(event).isEmpty() && faults.happens(Fault.EVENT_DOUBLED)) {
            time.after(chance.logUniform(1, LONGEST_DELAY_MILLIS), () -> deliver(event, "again: "));
        }
        if (faults.happens(Fault.UNKNOWN_ANSWER)) {
            time.after(chance.logUniform(1, 10_000), () -> deliver(unknownAnswer(), "of nothing: "));
        }
    }

    /** News of one attempt stay in order; what is not about an attempt comes after all before it. */
    private void deliverLater(EngineEvent event) {
        long delay = faults.happens(Fault.EVENT_LATE) ? chance.logUniform(100, 3_600_000) : chance.logUniform(1, 100);
        String key = key(event);
        long earliest = key.isEmpty() ? lastOfAll : lastDelivery.getOrDefault(key, 0L);
        long at = Math.max(time.nowMillis() + delay, earliest);
        lastDelivery.put(key, at);
        lastOfAll = Math.max(lastOfAll, at);
        time.after(at - time.nowMillis(), () -> deliver(event, ""));
    }

    private static String key(EngineEvent event) {
        return switch (event.type()) {
            case ACCEPTED -> ((EngineEvent.Accepted) event).order().attemptName();
            case ORDER_FAILED -> ((EngineEvent.OrderFailed) event).order().attemptName();
            case BOUND -> ((EngineEvent.Bound) event).jobId() + "." + ((EngineEvent.Bound) event).attempt();
            case STATE_CHANGED -> key(((EngineEvent.StateChanged) event).event());
            case SAVE_ABILITY_SHOWN -> {
                EngineEvent.SaveAbilityShown shown = (EngineEvent.SaveAbilityShown) event;
                yield shown.jobId() + "." + shown.attempt();
            }
            case MEASUREMENTS_REPORTED,
                    PROGRESS_REPORTED,
                    REACHABLE,
                    UNREACHABLE,
                    NODE_REPORTED,
                    NODE_GONE,
                    NODE_CONDITION_REPORTED,
                    FOREIGN_LOAD_REPORTED,
                    JOB_OBSERVED -> "";
        };
    }

    private static String key(Event event) {
        if (event instanceof Event.Running running) {
            return running.jobId() + "." + running.attempt();
        }
        return event instanceof Event.AttemptEnded ended ? ended.jobId() + "." + ended.attempt() : "";
    }

    private void deliver(EngineEvent event, String how) {
        Consumer<EngineEvent> daemon = inbox;
        if (daemon != null) {
            trace.add("engine", how + "reports " + describe(event));
            daemon.accept(event);
        }
    }

    private static String describe(EngineEvent event) {
        return switch (event.type()) {
            case STATE_CHANGED -> ((EngineEvent.StateChanged) event).event().toString();
            case ACCEPTED -> ((EngineEvent.Accepted) event).order() + " accepted";
            case ORDER_FAILED ->
                ((EngineEvent.OrderFailed) event).order() + " failed: " + ((EngineEvent.OrderFailed) event).cause();
            default -> event.toString();
        };
    }

    /** An answer about an attempt that the engine never got. */
    private EngineEvent unknownAnswer() {
        long job = chance.oneIn(2) ? 100_000 + chance.below(100) : 1 + chance.below(5);
        int attempt = 500 + chance.below(100);
        return switch (chance.below(5)) {
            case 0 -> new EngineEvent.Accepted(new OrderId(job, attempt, EngineOrder.Type.START, 0), "x1");
            case 1 ->
                new EngineEvent.OrderFailed(
                        new OrderId(job, attempt, EngineOrder.Type.KILL, 0), FailureKind.PERMANENT, "no such attempt");
            case 2 -> new EngineEvent.Bound(job, attempt, List.of("nothing"));
            case 3 -> new EngineEvent.StateChanged(new Event.Running(job, attempt, Speed.UNIT), null);
            default ->
                new EngineEvent.StateChanged(
                        new Event.AttemptEnded(job, attempt, Outcome.COMPLETED, Usage.NONE),
                        new EngineEvent.AttemptExit(0, 0, ""));
        };
    }

    // ---- outages ----

    /** The connection is lost. The engine says so, or is only silent. */
    void disconnect(boolean announce) {
        if (!connected) {
            return;
        }
        connected = false;
        announced = announce;
        trace.add("engine", announce ? "is unreachable" : "is silent");
        if (announce) {
            deliverLater(new EngineEvent.Unreachable("connection refused"));
        }
    }

    /** The connection is back: what happened meanwhile is reported first. */
    void reconnect() {
        if (connected) {
            return;
        }
        connected = true;
        trace.add("engine", "can be reached again");
        List<EngineEvent> due = List.copyOf(undelivered);
        undelivered.clear();
        due.forEach(this::deliverLater);
        if (unreconciled != null) {
            reconcile();
        } else if (announced) {
            deliverLater(new EngineEvent.Reachable());
        }
    }

    @Override
    public void close() {
        inbox = null;
    }
}
