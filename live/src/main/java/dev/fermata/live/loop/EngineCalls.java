package dev.fermata.live.loop;

import dev.fermata.core.model.Topology;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.ExecutionEngine;
import dev.fermata.live.engine.ExpectedAttempts;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the engine, in order. With a thread of its own, an engine that hangs in a call never blocks the scheduler loop: its
 * silence makes it unreachable. A call that throws is answered like one that the engine could not take.
 */
final class EngineCalls implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineCalls.class);

    private final ExecutionEngine engine;
    private final Consumer<EngineEvent> inbox;
    private Executor executor = Runnable::run;

    EngineCalls(ExecutionEngine engine, Consumer<EngineEvent> inbox) {
        this.engine = engine;
        this.inbox = inbox;
    }

    /** From now on calls run on a thread of their own. */
    void useOwnThread() {
        executor = Executors.newSingleThreadExecutor(task -> {
            Thread thread = new Thread(task, "fermata-engine-calls");
            thread.setDaemon(true);
            return thread;
        });
    }

    void open(Topology cluster, ExpectedAttempts expected) {
        executor.execute(() -> {
            try {
                engine.open(cluster, expected, inbox);
            } catch (RuntimeException e) {
                LOG.error("engine {} could not be opened", engine.name(), e);
                inbox.accept(new EngineEvent.Unreachable("it could not be opened: " + e));
            }
        });
    }

    void clusterChanged(Topology cluster) {
        executor.execute(() -> engine.clusterChanged(cluster));
    }

    void submit(List<EngineOrder> orders) {
        orders.forEach(order -> executor.execute(() -> submit(order)));
    }

    private void submit(EngineOrder order) {
        try {
            engine.submit(order);
        } catch (RuntimeException e) {
            inbox.accept(new EngineEvent.OrderFailed(order.id(), EngineEvent.FailureKind.TRANSIENT, e.toString()));
        }
    }

    @Override
    public void close() {
        if (executor instanceof ExecutorService own) {
            own.shutdownNow();
        }
    }
}
