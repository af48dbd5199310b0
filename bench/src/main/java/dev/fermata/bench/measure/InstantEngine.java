package dev.fermata.bench.measure;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.GpuCatalogue;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine whose jobs end as soon as they start, or after a fixed time. Makes a long real history quickly. */
final class InstantEngine implements ExecutionEngine {
    private final Topology topology;
    private final long durationMillis;
    private final ScheduledExecutorService timers = Executors.newSingleThreadScheduledExecutor();
    private volatile @Nullable Consumer<EngineEvent> inbox;

    /** @param durationMillis how long each job runs; 0 for no time at all */
    InstantEngine(int gpus, long durationMillis) {
        this.durationMillis = durationMillis;
        topology = Topology.builder().node(GpuCatalogue.GENERIC, gpus).build();
    }

    @Override
    public String name() {
        return "instant";
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> listener) {
        inbox = listener;
        send(new EngineEvent.Reachable());
    }

    /** Starts; to all other orders the attempt has left already. */
    @Override
    public void submit(EngineOrder order) {
        send(new EngineEvent.Accepted(order.id(), ""));
        if (order instanceof EngineOrder.Start start) {
            start(start.launch());
        }
    }

    private void start(Launch launch) {
        send(new EngineEvent.StateChanged(new Event.Running(launch.jobId(), launch.attempt(), Speed.UNIT), null));
        if (durationMillis == 0) {
            end(launch);
        } else {
            var unused = timers.schedule(() -> end(launch), durationMillis, TimeUnit.MILLISECONDS);
        }
    }

    private void end(Launch launch) {
        send(new EngineEvent.StateChanged(
                new Event.AttemptEnded(launch.jobId(), launch.attempt(), Outcome.COMPLETED, Usage.NONE),
                new EngineEvent.AttemptExit(0, 0, ""),
                profileReport(launch.jobId())));
    }

    /** What a script with the helper would have shown: something to learn from every job. */
    private static AttemptMeasurements profileReport(long job) {
        long load = 2_000 + job % 700;
        return AttemptMeasurements.NONE
                .withLoad(new AttemptMeasurements.LoadTimes(300, 900, -1, load - 1_200, load))
                .withUse(new AttemptMeasurements.ResourceUse(80_000, 900, 9_000))
                .withSteps(new AttemptMeasurements.Steps(50, -1, 50));
    }

    private void send(EngineEvent event) {
        Consumer<EngineEvent> listener = inbox;
        if (listener != null) {
            listener.accept(event);
        }
    }

    @Override
    public void close() {
        timers.shutdownNow();
    }
}
