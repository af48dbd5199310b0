package dev.fermata.bench.virtual;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Order;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.Launch;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.List;
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
    public void open(Topology cluster, List<Launch> expectedAttempts, Consumer<EngineEvent> sink) {
        inbox = sink;
    }

    @Override
    public void start(Launch launch) {
        cluster.submit(now, new Order.Start(launch.jobId(), launch.attempt(), launch.allocation(), launch.resumed()));
    }

    @Override
    public void preempt(long jobId, int attempt, long graceMillis) {
        cluster.submit(now, new Order.Preempt(jobId, attempt, graceMillis));
    }

    @Override
    public void kill(long jobId, int attempt) {
        cluster.submit(now, new Order.Kill(jobId, attempt));
    }

    @Override
    public void setTimeLimit(long jobId, int attempt, long limitMillis) {
        // the played cluster knows no limits
    }

    @Override
    public void close() {}
}
