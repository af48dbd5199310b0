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
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/** An engine whose attempts start at once, leave at once when they are preempted, and end when the caller says so. */
final class SoakEngine implements ExecutionEngine {
    private final Topology topology;
    private final Map<Long, Integer> running = new TreeMap<>();
    private Consumer<EngineEvent> inbox = event -> {};
    private long preempted;

    SoakEngine(int gpus) {
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
        listener.accept(new EngineEvent.Reachable());
    }

    @Override
    public void submit(EngineOrder order) {
        inbox.accept(new EngineEvent.Accepted(order.id(), ""));
        switch (order.type()) {
            case START -> {
                running.put(order.jobId(), order.attempt());
                inbox.accept(new EngineEvent.StateChanged(
                        new Event.Running(order.jobId(), order.attempt(), Speed.UNIT), null));
            }
            case PREEMPT, KILL -> {
                preempted++;
                end(order.jobId(), Outcome.PREEMPTED);
            }
            case LIMIT, ADOPT -> {} // it knows no limits, and forgets nothing
        }
    }

    /** Completes every running job that is not among these; returns how many. */
    int completeAllBut(Set<Long> others) {
        int ended = 0;
        for (long job : Set.copyOf(running.keySet()).stream().sorted().toList()) {
            if (!others.contains(job)) {
                end(job, Outcome.COMPLETED);
                ended++;
            }
        }
        return ended;
    }

    long preempted() {
        return preempted;
    }

    private void end(long job, Outcome outcome) {
        Integer attempt = running.remove(job);
        if (attempt != null) {
            inbox.accept(new EngineEvent.StateChanged(
                    new Event.AttemptEnded(job, attempt, outcome, Usage.NONE),
                    new EngineEvent.AttemptExit(outcome == Outcome.COMPLETED ? 0 : 75, 0, "")));
        }
    }

    @Override
    public void close() {}
}
