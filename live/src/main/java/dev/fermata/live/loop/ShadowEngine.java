package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.Capabilities;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.spec.JobSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An engine for shadow mode. It passes no order to the real engine: started jobs stay STARTING, preempted jobs keep
 * their GPUs, only a cancelled job ends. The real engine describes the cluster and is never opened.
 */
final class ShadowEngine implements ExecutionEngine {
    /** Started jobs stay STARTING. */
    private static final long NEVER_MILLIS = Long.MAX_VALUE / 4;

    private final ExecutionEngine delegate;
    private Consumer<EngineEvent> listener = update -> {};

    ShadowEngine(ExecutionEngine delegate) {
        this.delegate = delegate;
    }

    @Override
    public String name() {
        return delegate.name();
    }

    @Override
    public String identity() {
        return delegate.identity();
    }

    @Override
    public String describeLocation() {
        return delegate.describeLocation();
    }

    @Override
    public Topology topology() {
        return delegate.topology();
    }

    @Override
    public JobLogs logs() {
        return delegate.logs();
    }

    @Override
    public List<String> notices() {
        List<String> annotations = new ArrayList<>(delegate.notices());
        annotations.add("shadow: decisions are recorded, no job is started, paused or ended");
        return annotations;
    }

    @Override
    public Capabilities capabilities() {
        return delegate.capabilities().withStartTimeout(NEVER_MILLIS);
    }

    @Override
    public @Nullable String rejectionReason(JobSpec spec, String user) {
        return delegate.rejectionReason(spec, user);
    }

    @Override
    public boolean separatesAccounts() {
        return delegate.separatesAccounts();
    }

    @Override
    public @Nullable String userRejectionReason(String user) {
        return delegate.userRejectionReason(user);
    }

    @Override
    public void open(Topology cluster, ExpectedAttempts expected, Consumer<EngineEvent> reported) {
        listener = reported;
        reported.accept(new EngineEvent.Reachable());
    }

    /** Takes every order; a killed attempt ends at once, since it never started. */
    @Override
    public void submit(EngineOrder order) {
        if (order.type() == EngineOrder.Type.KILL) {
            EngineEvent.AttemptExit exit =
                    new EngineEvent.AttemptExit(null, 0, "nothing was started: this daemon runs in shadow mode");
            listener.accept(new EngineEvent.StateChanged(
                    new Event.AttemptEnded(order.jobId(), order.attempt(), Outcome.CANCELLED, Usage.NONE), exit));
        } else {
            listener.accept(new EngineEvent.Accepted(order.id(), ""));
        }
    }

    @Override
    public void close() {
        delegate.close();
    }
}
