package dev.fermata.live.engine;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineContract.Behaviour;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A place where attempts run in virtual time, without processes, and an engine for it. The place outlives engines, as
 * processes outlive a daemon. Everything happens in {@link #advance}, in one order.
 */
public final class SimulatedSite {
    private static final long START_MILLIS = 100;
    private static final Set<Capabilities.Feature> FEATURES =
            Set.of(Capabilities.Feature.EXACT_DEVICES, Capabilities.Feature.SEVERAL_NODES);

    private final Topology topology;
    private final TreeMap<Long, List<Runnable>> planned = new TreeMap<>();
    private final Map<String, SimulatedAttempt> attempts = new LinkedHashMap<>();
    private final Map<Long, Behaviour> behaviours = new HashMap<>();
    private long nowMillis;
    private long nextId = 4711;
    private boolean reachable = true;
    private int transientFailures;
    private @Nullable Engine current;

    /** One attempt at the place, and what it would report. */
    private static final class SimulatedAttempt {
        final Launch launch;
        final String id;
        int begun;
        boolean running;
        boolean unwanted;

        EngineEvent.@Nullable StateChanged end;

        SimulatedAttempt(Launch launch, String id) {
            this.launch = launch;
            this.id = id;
        }
    }

    public SimulatedSite(Topology topology) {
        this.topology = topology;
    }

    /** What the job of later launches does. */
    public void setBehaviour(long job, Behaviour behaviour) {
        behaviours.put(job, behaviour);
    }

    public int begun(long job, int attempt) {
        SimulatedAttempt found = attempts.get(job + "." + attempt);
        return found == null ? 0 : found.begun;
    }

    /** The next orders fail once each, though they may succeed when repeated. */
    public void failOrders(int orders) {
        transientFailures = orders;
    }

    /** The last machine is there without its last GPU, or with it again. */
    public void setLastGpu(boolean present) {
        EngineNode last = EngineNode.of(topology).values().stream()
                .reduce((first, second) -> second)
                .orElseThrow();
        int gpus = last.gpus().size() - (present ? 0 : 1);
        report(new EngineEvent.NodeReported(last.withGpus(last.gpus().subList(0, gpus))));
    }

    /** The connection between engine and place. Attempts continue without it. */
    public void setReachable(boolean now) {
        reachable = now;
        Engine engine = current;
        if (engine != null && !now) {
            engine.emit(new EngineEvent.Unreachable("connection refused"));
        } else if (engine != null) {
            engine.report(new EngineEvent.Reachable());
        }
    }

    /** Another engine for this place; the one before reports nothing any more. */
    public Engine newEngine() {
        Engine engine = new Engine();
        current = engine;
        return engine;
    }

    /** Lets everything happen that is due in this time. */
    public void advance(long millis) {
        long until = nowMillis + millis;
        while (!planned.isEmpty() && planned.firstKey() <= until) {
            Map.Entry<Long, List<Runnable>> due = Objects.requireNonNull(planned.pollFirstEntry());
            nowMillis = due.getKey();
            due.getValue().forEach(Runnable::run);
        }
        nowMillis = until;
    }

    private void later(long millis, Runnable what) {
        planned.computeIfAbsent(nowMillis + millis, at -> new ArrayList<>()).add(what);
    }

    private void begin(SimulatedAttempt attempt) {
        if (attempt.end != null) {
            return;
        }
        attempt.begun++;
        attempt.running = true;
        reportStart(attempt);
        switch (behaviours.getOrDefault(attempt.launch.jobId(), Behaviour.SAVES)) {
            case COMPLETES -> later(10, () -> end(attempt, Outcome.COMPLETED, 0));
            case FAILS, LOSES_RANK -> later(10, () -> end(attempt, Outcome.FAILED, 3));
            case SAVES, IGNORES_SIGNALS, CANNOT_START -> {} // until it is ended
        }
    }

    private void reportStart(SimulatedAttempt attempt) {
        Launch launch = attempt.launch;
        report(new EngineEvent.Bound(
                launch.jobId(),
                launch.attempt(),
                IntStream.of(launch.allocation().toArray())
                        .mapToObj(topology::gpuId)
                        .toList()));
        report(new EngineEvent.StateChanged(new Event.Running(launch.jobId(), launch.attempt(), Speed.UNIT), null));
    }

    private void end(SimulatedAttempt attempt, Outcome outcome, @Nullable Integer code) {
        if (attempt.end == null) {
            Launch launch = attempt.launch;
            attempt.end = new EngineEvent.StateChanged(
                    new Event.AttemptEnded(launch.jobId(), launch.attempt(), outcome, Usage.NONE),
                    new EngineEvent.AttemptExit(code, 0, ""));
            if (!attempt.unwanted) {
                report(attempt.end);
            }
        }
    }

    private void report(EngineEvent event) {
        Engine engine = current;
        if (engine != null) {
            engine.report(event);
        }
    }

    /** An engine over a connection that may be down; then it keeps what it would report. */
    public final class Engine implements ExecutionEngine {
        private final List<EngineEvent> undelivered = new ArrayList<>();
        private @Nullable Consumer<EngineEvent> inbox;

        @Override
        public String name() {
            return "simulated";
        }

        @Override
        public Topology topology() {
            return topology;
        }

        @Override
        public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> events) {
            inbox = events;
            later(0, () -> reconcile(expected));
        }

        private void reconcile(ExpectedAttempts expected) {
            List<String> known = expected.all().map(Engine::name).toList();
            attempts.forEach((name, attempt) -> {
                if (!known.contains(name) && attempt.end == null) {
                    attempt.unwanted = true;
                    end(attempt, Outcome.LOST, null);
                }
            });
            expected.accepted().forEach(this::find);
            report(new EngineEvent.Reachable());
        }

        private static String name(Launch launch) {
            return launch.jobId() + "." + launch.attempt();
        }

        /** Reports the state of an attempt; one that is not there can never start later. */
        private SimulatedAttempt find(Launch launch) {
            SimulatedAttempt found = attempts.computeIfAbsent(name(launch), name -> new SimulatedAttempt(launch, ""));
            if (found.id.isEmpty() && found.end == null) {
                end(found, Outcome.LOST, null);
            } else if (found.end != null) {
                report(found.end);
            } else if (found.running) {
                reportStart(found);
            }
            return found;
        }

        @Override
        public void submit(EngineOrder order) {
            later(1, () -> {
                if (current != this || !reachable) {
                    return; // lost on the way
                }
                if (transientFailures > 0) {
                    transientFailures--;
                    report(new EngineEvent.OrderFailed(
                            order.id(), EngineEvent.FailureKind.TRANSIENT, "the controller is busy"));
                } else {
                    carryOut(order);
                }
            });
        }

        private void carryOut(EngineOrder order) {
            SimulatedAttempt known = attempts.get(order.id().attemptName());
            switch (order.type()) {
                case START -> start((EngineOrder.Start) order, known);
                case ADOPT -> {
                    SimulatedAttempt found = find(((EngineOrder.Adopt) order).launch());
                    if (found.end == null) {
                        report(new EngineEvent.Accepted(order.id(), found.id));
                    }
                }
                case PREEMPT, KILL, LIMIT -> {
                    if (known == null) {
                        report(new EngineEvent.OrderFailed(
                                order.id(), EngineEvent.FailureKind.PERMANENT, "no such attempt"));
                        return;
                    }
                    report(new EngineEvent.Accepted(order.id(), known.id));
                    terminate(order, known);
                }
            }
        }

        private void start(EngineOrder.Start order, @Nullable SimulatedAttempt known) {
            if (behaviours.get(order.jobId()) == Behaviour.CANNOT_START) {
                report(new EngineEvent.OrderFailed(
                        order.id(), EngineEvent.FailureKind.PERMANENT, "the image cannot be pulled"));
            } else if (known == null) {
                SimulatedAttempt attempt = new SimulatedAttempt(order.launch(), Long.toString(nextId++));
                attempts.put(order.id().attemptName(), attempt);
                report(new EngineEvent.Accepted(order.id(), attempt.id));
                later(START_MILLIS, () -> begin(attempt));
            } else {
                report(new EngineEvent.Accepted(order.id(), known.id));
            }
        }

        private void terminate(EngineOrder order, SimulatedAttempt attempt) {
            boolean saves = behaviours.getOrDefault(order.jobId(), Behaviour.SAVES) == Behaviour.SAVES;
            switch (order.type()) {
                case KILL -> later(5, () -> end(attempt, Outcome.CANCELLED, null));
                case PREEMPT -> {
                    long grace = ((EngineOrder.Preempt) order).graceMillis();
                    if (saves && attempt.running) {
                        later(Math.min(20, grace), () -> end(attempt, Outcome.PREEMPTED, 0));
                    } else {
                        later(grace, () -> end(attempt, Outcome.LOST, null));
                    }
                }
                case START, ADOPT, LIMIT -> {} // ends nothing
            }
        }

        private void report(EngineEvent event) {
            if (current == this) {
                undelivered.add(event);
                deliver();
            }
        }

        /** Delivers what is due; after an outage what happened in it comes before the end of it. */
        private void deliver() {
            if (reachable) {
                List<EngineEvent> due = List.copyOf(undelivered);
                undelivered.clear();
                due.forEach(this::emit);
            }
        }

        private void emit(EngineEvent event) {
            Consumer<EngineEvent> listener = inbox;
            if (listener != null) {
                listener.accept(event);
            }
        }

        @Override
        public Capabilities capabilities() {
            return new Capabilities(FEATURES, Long.MAX_VALUE, 60_000, Set.of());
        }

        @Override
        public void close() {
            inbox = null;
        }
    }
}
