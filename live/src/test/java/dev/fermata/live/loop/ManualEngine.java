package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine without processes: it records orders, and the test sends the events. */
public final class ManualEngine implements ExecutionEngine {
    /** The cluster that it finds. */
    Topology topology;

    private Consumer<EngineEvent> listener = update -> {};
    String identity = "hand";
    public final List<String> orders = new ArrayList<>();
    public final TreeMap<Long, Launch> onGpus = new TreeMap<>();
    private final TreeMap<Long, EngineEvent.StateChanged> unreported = new TreeMap<>();

    /** Whether it accepts orders; else it is silent. */
    public boolean answers = true;

    /** Whether it can be reached when it is opened. */
    public boolean reachable = true;

    /** The attempts that it was last opened with. */
    List<Launch> openedWith = List.of();

    /** The jobs of another scheduler, which it reports when it begins to observe. */
    Collection<ObservedJob> observable = List.of();

    /** The cluster whose numbers it was last given. */
    @Nullable
    Topology cluster;

    public ManualEngine(Topology topology) {
        this.topology = topology;
    }

    public void running(long job) {
        listener.accept(new EngineEvent.StateChanged(new Event.Running(job, attempt(job), Speed.UNIT), null));
    }

    public void report(long job, long at, long step, long total) {
        listener.accept(new EngineEvent.ProgressReported(
                job, attempt(job), new EngineEvent.JobReport(at, "step", step, total, "loss", 1.0 / (1 + step)), at));
    }

    public void end(long job, Outcome outcome, @Nullable Integer code, String detail) {
        end(job, outcome, code, detail, AttemptMeasurements.NONE);
    }

    public void end(long job, Outcome outcome, @Nullable Integer code, String detail, AttemptMeasurements measured) {
        Usage usage = new Usage(0, 0, 0, 0, 0, outcome == Outcome.PREEMPTED ? 1000 : 0);
        end(job, outcome, usage, new EngineEvent.AttemptExit(code, 0, detail), measured);
    }

    public void end(long job, Outcome outcome, Usage usage, AttemptMeasurements measured) {
        end(job, outcome, usage, new EngineEvent.AttemptExit(0, 0, ""), measured);
    }

    private void end(
            long job, Outcome outcome, Usage usage, EngineEvent.AttemptExit exit, AttemptMeasurements measured) {
        int attempt = attempt(job);
        onGpus.remove(job);
        listener.accept(
                new EngineEvent.StateChanged(new Event.AttemptEnded(job, attempt, outcome, usage), exit, measured));
    }

    /** Ends an attempt while no daemon runs; reported when the next one opens the engine. */
    void endUnreported(long job, Outcome outcome, long endedMillis) {
        int attempt = attempt(job);
        onGpus.remove(job);
        unreported.put(
                job,
                new EngineEvent.StateChanged(
                        new Event.AttemptEnded(job, attempt, outcome, Usage.NONE),
                        new EngineEvent.AttemptExit(
                                outcome == Outcome.COMPLETED ? 0 : 1, 0, "", ExhaustedResource.NONE, endedMillis)));
    }

    /** Ends an attempt with these measurements and this exhausted resource. */
    public void endMeasured(long job, Outcome outcome, int peakMib, int busyPermille, ExhaustedResource exhausted) {
        int attempt = attempt(job);
        onGpus.remove(job);
        listener.accept(new EngineEvent.StateChanged(
                new Event.AttemptEnded(job, attempt, outcome, Usage.NONE),
                new EngineEvent.AttemptExit(outcome == Outcome.COMPLETED ? 0 : 1, 0, "", exhausted),
                AttemptMeasurements.NONE.withGpu(busyPermille, peakMib)));
    }

    public void send(EngineEvent update) {
        listener.accept(update);
    }

    public void sendEvent(Event event) {
        listener.accept(new EngineEvent.StateChanged(event, null));
    }

    private int attempt(long job) {
        return Objects.requireNonNull(onGpus.get(job)).attempt();
    }

    @Override
    public String name() {
        return "hand";
    }

    @Override
    public String identity() {
        return identity;
    }

    @Override
    public Topology topology() {
        return topology;
    }

    @Override
    public @Nullable String rejectionReason(JobSpec spec, String user) {
        return user.equals("stranger") ? "there is no account 'stranger' here" : null;
    }

    @Override
    public void clusterChanged(Topology now) {
        cluster = now;
    }

    @Override
    public void open(Topology numbered, ExpectedAttempts expected, Consumer<EngineEvent> reported) {
        cluster = numbered;
        listener = reported;
        openedWith = expected.all().toList();
        for (Launch launch : expected.accepted()) {
            if (unreported.containsKey(launch.jobId())) {
                reported.accept(Objects.requireNonNull(unreported.remove(launch.jobId())));
            } else if (!onGpus.containsKey(launch.jobId())) {
                orders.add("missing " + launch.jobId() + "." + launch.attempt());
                reported.accept(new EngineEvent.StateChanged(
                        new Event.AttemptEnded(launch.jobId(), launch.attempt(), Outcome.LOST, Usage.NONE),
                        new EngineEvent.AttemptExit(null, 0, "it never started")));
            }
        }
        if (reachable) {
            reported.accept(new EngineEvent.Reachable());
        }
    }

    @Override
    public void observe(Topology numbered, Consumer<EngineEvent> reported) {
        cluster = numbered;
        listener = reported;
        observable.forEach(job -> reported.accept(new EngineEvent.JobObserved(job)));
        reported.accept(new EngineEvent.Reachable());
    }

    @Override
    public void submit(EngineOrder order) {
        String attempt = order.jobId() + "." + order.attempt();
        switch (order.type()) {
            case START -> {
                Launch launch = ((EngineOrder.Start) order).launch();
                orders.add("start " + attempt + " on " + launch.allocation());
                onGpus.put(launch.jobId(), launch);
            }
            case PREEMPT -> orders.add("pause " + attempt);
            case KILL -> orders.add("kill " + attempt);
            case LIMIT -> orders.add("limit " + attempt + " " + ((EngineOrder.Limit) order).limitMillis());
            case ADOPT -> orders.add("adopt " + attempt);
        }
        if (answers) {
            listener.accept(new EngineEvent.Accepted(order.id(), "id-" + attempt));
        }
    }

    @Override
    public void close() {}
}
