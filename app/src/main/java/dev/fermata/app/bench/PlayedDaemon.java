package dev.fermata.app.bench;

import dev.fermata.app.foresee.SimulatedForesight;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.conductor.Actor;
import dev.fermata.live.conductor.Conductor;
import dev.fermata.live.conductor.ConductorSettings;
import dev.fermata.live.conductor.Desk;
import dev.fermata.live.conductor.Jobs;
import dev.fermata.live.conductor.SteadyClock;
import dev.fermata.live.foresee.ExpectedStart;
import dev.fermata.live.foresee.Foresight;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.metrics.Meters;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.Stores;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.TrueJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The daemon's conductor and store on a simulated cluster, with a clock that is turned by hand: what users would see of a busy day, in
 * seconds.
 */
public final class PlayedDaemon implements AutoCloseable {
    private static final Actor WHO = new Actor("bench", "ADMIN", "bench");

    private final Store store;
    private final SimulatedEngine cluster;
    private final PlayedEngine engine;
    private final Conductor conductor;
    private final Costs costs;
    private long now;
    private long wake = Plan.NEVER;
    private long nextId = 1;

    public PlayedDaemon(Path folder, Topology topology, String policy, Costs costs) {
        this(folder, topology, policy, costs, new SimulatedForesight());
    }

    /** @param costs what pausing and loading really takes, and is taken to take */
    PlayedDaemon(Path folder, Topology topology, String policy, Costs costs, Foresight foresight) {
        this.costs = costs;
        cluster = new SimulatedEngine(topology, Faults.none(topology));
        engine = new PlayedEngine(topology, cluster);
        store = Stores.open("sqlite", folder);
        conductor = new Conductor(
                store,
                engine,
                PolicySpec.parse(policy),
                ConductorSettings.DEFAULT.withCosts(costs),
                false,
                new SteadyClock(),
                new Meters(),
                foresight);
        if (!conductor.lead()) {
            throw new IllegalStateException("the store has another owner");
        }
    }

    public Desk desk() {
        return conductor.desk();
    }

    public Store store() {
        return store;
    }

    public long nowMillis() {
        return now;
    }

    /** Submits a job that really takes this long; the conductor has decided on it when this returns. */
    public long submit(JobSpec spec, long durationMillis) {
        long id = nextId++;
        cluster.arrive(TrueJob.of(Jobs.of(spec, id, WHO.user(), Knowledge.assumed(costs)), now, durationMillis));
        CompletableFuture<List<Long>> answer = conductor.desk().submit(WHO, List.of(spec), null);
        turn();
        if (answer.join().get(0) != id) {
            throw new IllegalStateException("job " + id + " was given another id: " + answer.join());
        }
        return id;
    }

    /** Lets everything happen that is due up to then. */
    public void until(long millis) {
        while (Math.min(cluster.nextMillis(), wake) <= millis) {
            now = Math.max(now, Math.min(cluster.nextMillis(), wake));
            turn();
        }
        now = Math.max(now, millis);
    }

    /** When something happens next; {@link Plan#NEVER} when all is done. */
    public long nextMillis() {
        return Math.min(cluster.nextMillis(), wake);
    }

    /** What is expected of a job now, and kept in the history. */
    public Map<Long, ExpectedStart> foresee(long job) {
        CompletableFuture<Map<Long, ExpectedStart>> asked = conductor.desk().expectedStarts(Set.of(job));
        turn();
        Map<Long, ExpectedStart> seen = asked.join();
        turn();
        return seen;
    }

    /** One cycle of the conductor at this moment. */
    void turn() {
        engine.play(now);
        try {
            wake = conductor.turn(now);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Override
    public void close() {
        conductor.close();
        store.close();
    }
}
