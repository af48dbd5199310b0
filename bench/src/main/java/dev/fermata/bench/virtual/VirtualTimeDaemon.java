package dev.fermata.bench.virtual;

import dev.fermata.cli.prediction.SimulatedStartPredictor;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.PolicySpec;
import dev.fermata.live.learning.JobFactory;
import dev.fermata.live.loop.LoopSettings;
import dev.fermata.live.loop.MonotonicClock;
import dev.fermata.live.loop.SchedulerLoop;
import dev.fermata.live.metrics.DaemonMetrics;
import dev.fermata.live.prediction.StartPrediction;
import dev.fermata.live.prediction.StartPredictor;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.request.Actor;
import dev.fermata.live.service.DefaultSchedulerService;
import dev.fermata.live.service.SchedulerService;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreFactory;
import dev.fermata.sim.engine.Faults;
import dev.fermata.sim.engine.SimulatedEngine;
import dev.fermata.sim.workload.SimulatedJob;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The daemon's scheduler loop and store on a simulated cluster, with a clock that the caller sets: a busy day in
 * seconds.
 */
public final class VirtualTimeDaemon implements AutoCloseable {
    private static final Actor ACTOR = new Actor("bench", "ADMIN", "bench");

    private final Store store;
    private final SimulatedEngine cluster;
    private final VirtualTimeEngine engine;
    private final SchedulerLoop loop;
    private final SchedulerService service;
    private final Costs costs;
    private long now;
    private long wakeMillis = Plan.NEVER;
    private long nextId = 1;

    public VirtualTimeDaemon(Path folder, Topology topology, String policy, Costs costs) {
        this(folder, topology, policy, costs, new SimulatedStartPredictor());
    }

    /** @param costs what pausing and loading really takes, and is taken to take */
    public VirtualTimeDaemon(Path folder, Topology topology, String policy, Costs costs, StartPredictor predictor) {
        this.costs = costs;
        cluster = new SimulatedEngine(topology, Faults.none(topology));
        engine = new VirtualTimeEngine(topology, cluster);
        store = StoreFactory.open("sqlite", folder);
        loop = new SchedulerLoop(
                store,
                engine,
                PolicySpec.parse(policy),
                LoopSettings.DEFAULT.withAssumedCosts(costs),
                false,
                new MonotonicClock(),
                new DaemonMetrics());
        service = new DefaultSchedulerService(loop, predictor);
        if (!loop.lead()) {
            throw new IllegalStateException("the store has another owner");
        }
    }

    public SchedulerService service() {
        return service;
    }

    public Store store() {
        return store;
    }

    public long nowMillis() {
        return now;
    }

    /** Submits a job with this true run time; the scheduler loop has decided on it when this returns. */
    public long submit(JobSpec spec, long durationMillis) {
        long id = nextId++;
        cluster.addJob(SimulatedJob.of(
                JobFactory.create(spec, id, ACTOR.user(), ProfileEstimate.assumed(costs)), now, durationMillis));
        CompletableFuture<List<Long>> answer = service.submit(ACTOR, List.of(spec), null);
        runCycle();
        if (answer.join().get(0) != id) {
            throw new IllegalStateException("job " + id + " was given another id: " + answer.join());
        }
        return id;
    }

    /** Lets everything happen that is due up to then. */
    public void advanceTo(long millis) {
        while (Math.min(cluster.nextMillis(), wakeMillis) <= millis) {
            now = Math.max(now, Math.min(cluster.nextMillis(), wakeMillis));
            runCycle();
        }
        now = Math.max(now, millis);
    }

    /** When something happens next; {@link Plan#NEVER} when all is done. */
    public long nextMillis() {
        return Math.min(cluster.nextMillis(), wakeMillis);
    }

    /** What is expected of a job now, and kept in the history. */
    public Map<Long, StartPrediction> predictStarts(long job) {
        CompletableFuture<Map<Long, StartPrediction>> requested = service.predictedStarts(Set.of(job));
        runCycle();
        Map<Long, StartPrediction> seen = requested.join();
        runCycle();
        return seen;
    }

    /** One scheduling cycle at this time. */
    public void runCycle() {
        engine.advanceTo(now);
        wakeMillis = loop.runCycle(now);
    }

    @Override
    public void close() {
        loop.close();
        store.close();
    }
}
