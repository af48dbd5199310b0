package dev.fermata.bench.virtual;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.function.Consumer;

/** The simulated cluster behind the port of real engines. Time is what the caller of the scheduler loop sets. */
public final class VirtualTimeEngine implements ExecutionEngine {
    private final Topology topology;
    private final SimulatedEngine cluster;
    private Consumer<EngineEvent> inbox = event -> {};
    private long now;

    public VirtualTimeEngine(Topology topology, SimulatedEngine cluster) {
        this.topology = topology;
        this.cluster = cluster;
    }

    /** Advances the cluster to this time and reports every event. */
    public void advanceTo(long nowMillis) {
        now = nowMillis;
        for (Event event : cluster.advance(nowMillis)) {
            inbox.accept(new EngineEvent.StateChanged(event, null));
        }
    }

    @Override
    public String name() {
        return "played";
    }

    @Override
    public Topology topology() {
        return topology;
    }

    /** The cluster outlives the daemon: its jobs continue when the daemon dies. */
    @Override
    public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> sink) {
        inbox = sink;
        sink.accept(new EngineEvent.Reachable());
    }

    @Override
    public void submit(EngineOrder order) {
        inbox.accept(new EngineEvent.Accepted(order.id(), ""));
        switch (order.type()) {
            case START -> {
                Launch launch = ((EngineOrder.Start) order).launch();
                cluster.submit(
                        now, new Order.Start(launch.jobId(), launch.attempt(), launch.allocation(), launch.resumed()));
            }
            case PREEMPT ->
                cluster.submit(
                        now,
                        new Order.Preempt(order.jobId(), order.attempt(), ((EngineOrder.Preempt) order).graceMillis()));
            case KILL -> cluster.submit(now, new Order.Kill(order.jobId(), order.attempt()));
            case LIMIT, ADOPT -> {} // the simulated cluster knows no limits, and forgets nothing
        }
    }

    @Override
    public void close() {}
}
