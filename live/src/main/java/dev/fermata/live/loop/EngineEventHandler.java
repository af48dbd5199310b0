package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.OrderId;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles the engine's answers to orders, and whether it can be reached. It never decides anything. */
final class EngineEventHandler {
    private static final Logger LOG = LoggerFactory.getLogger(EngineEventHandler.class);

    private final EngineOutbox outbox;
    private final EngineOrderFactory orders;
    private final LiveJobIndex liveJobs;
    private boolean wasReachable;

    EngineEventHandler(EngineOutbox outbox, EngineOrderFactory orders, LiveJobIndex liveJobs) {
        this.outbox = outbox;
        this.orders = orders;
        this.liveJobs = liveJobs;
    }

    /** Handles the events of one cycle that are no events for the scheduler, and adds those that follow from them. */
    void handle(List<EngineEvent> events, CycleOutput output) {
        for (EngineEvent event : events) {
            outbox.hear(output.nowMillis);
            switch (event.type()) {
                case ORDER_ACCEPTED -> accept((EngineEvent.Accepted) event);
                case ORDER_FAILED -> fail((EngineEvent.OrderFailed) event, output);
                case REACHABLE -> markReachable(output.nowMillis);
                case UNREACHABLE -> outbox.markUnreachable(((EngineEvent.Unreachable) event).cause(), output.nowMillis);
                case DEVICES_BOUND -> {
                    EngineEvent.Bound bound = (EngineEvent.Bound) event;
                    outbox.confirmStart(bound.jobId(), bound.attempt());
                }
                case STATE_CHANGED -> observe(((EngineEvent.StateChanged) event).event());
                case MEASUREMENTS_REPORTED, PROGRESS_REPORTED -> {}
            }
        }
    }

    private void accept(EngineEvent.Accepted accepted) {
        outbox.accept(accepted.order());
    }

    private void fail(EngineEvent.OrderFailed failure, CycleOutput output) {
        EngineOrder refused = outbox.fail(failure, output.nowMillis);
        if (refused == null) {
            return;
        }
        OrderId id = failure.order();
        switch (id.type()) {
            case START ->
                output.startFailures.add(new EngineEvent.StateChanged(
                        new Event.AttemptEnded(id.jobId(), id.attempt(), Outcome.LOST, Usage.NONE),
                        new EngineEvent.AttemptExit(null, 0, "could not be started: " + failure.cause())));
            case PREEMPT, KILL -> {
                if (isOnGpus(id)) {
                    outbox.add(orders.adopt(id.jobId(), output.nowMillis));
                }
            }
            case LIMIT, ADOPT -> {}
        }
    }

    private boolean isOnGpus(OrderId id) {
        LiveJob job = liveJobs.find(id.jobId());
        return job != null && job.attempt == id.attempt() && job.state.holdsGpus();
    }

    /** An engine that was away may have forgotten what it knew: it reports the state of every attempt again. */
    private void markReachable(long nowMillis) {
        boolean back = wasReachable && !outbox.isReachable();
        if (back) {
            LOG.info("engine reachable again after {} s", (nowMillis - outbox.sinceMillis()) / 1000);
            for (LiveJob job : liveJobs.all()) {
                if (job.state.holdsGpus()) {
                    outbox.add(orders.adopt(job.id, nowMillis));
                }
            }
        }
        wasReachable = true;
        outbox.markReachable(nowMillis);
    }

    private void observe(Event event) {
        switch (event.type()) {
            case RUNNING -> {
                Event.Running running = (Event.Running) event;
                outbox.confirmStart(running.jobId(), running.attempt());
            }
            case ATTEMPT_ENDED -> {
                Event.AttemptEnded ended = (Event.AttemptEnded) event;
                outbox.endAttempt(ended.jobId(), ended.attempt());
            }
            default -> {} // not about an order
        }
    }
}
