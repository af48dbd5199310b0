package dev.fermata.live.shadow;

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
 * The engine of shadow mode. It observes the real engine and passes no order to it: {@link ShadowWorkload} says what becomes of
 * the jobs. A job that was submitted here, not seen there, stays STARTING.
 */
public final class ShadowEngine implements ExecutionEngine {
    /** Started jobs may stay STARTING. */
    private static final long NEVER_MILLIS = Long.MAX_VALUE / 4;

    private final ExecutionEngine delegate;
    private final ShadowWorkload workload;
    private Consumer<EngineEvent> listener = update -> {};

    public ShadowEngine(ExecutionEngine delegate, ShadowWorkload workload) {
        this.delegate = delegate;
        this.workload = workload;
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
        expected.all().forEach(workload::adopt);
        delegate.observe(cluster, reported);
    }

    @Override
    public void clusterChanged(Topology cluster) {
        delegate.clusterChanged(cluster);
    }

    /** Takes every order; the next cycle says what follows from it. */
    @Override
    public void submit(EngineOrder order) {
        workload.take(order);
        listener.accept(new EngineEvent.Accepted(order.id(), ""));
    }

    @Override
    public void close() {
        delegate.close();
    }
}
