package dev.fermata.app.bench;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.LiveEngine;
import dev.fermata.live.engine.News;
import dev.fermata.sim.engine.SimulatedEngine;
import java.util.List;
import java.util.function.Consumer;

/** The simulated cluster behind the port of real engines: time is what whoever turns the conductor says. */
public final class PlayedEngine implements LiveEngine {
    private final Topology topology;
    private final SimulatedEngine cluster;
    private Consumer<News> inbox = news -> {};
    private long now;

    public PlayedEngine(Topology topology, SimulatedEngine cluster) {
        this.topology = topology;
        this.cluster = cluster;
    }

    /** Everything due up to now happens and is told. */
    public void play(long nowMillis) {
        now = nowMillis;
        for (Event event : cluster.advance(nowMillis)) {
            inbox.accept(new News.Happened(event, null));
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

    /** The cluster is not a part of the daemon: nothing happened to its jobs when that died. */
    @Override
    public void open(List<Launch> believed, Consumer<News> told) {
        inbox = told;
    }

    @Override
    public void start(Launch launch) {
        cluster.submit(now, new Command.Start(launch.jobId(), launch.attempt(), launch.allocation(), launch.resumed()));
    }

    @Override
    public void pause(long jobId, int attempt, long graceMillis) {
        cluster.submit(now, new Command.Pause(jobId, attempt, graceMillis));
    }

    @Override
    public void kill(long jobId, int attempt) {
        cluster.submit(now, new Command.Kill(jobId, attempt));
    }

    @Override
    public void limit(long jobId, int attempt, long limitMillis) {
        // the played cluster knows no limits
    }

    @Override
    public void close() {}
}
