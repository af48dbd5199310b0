package dev.fermata.live.loop;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Outcome;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.OrderId;
import dev.fermata.live.learning.ProfileService;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handles the engine's answers to orders, starts that it does not confirm, and whether it can be reached. It never decides
 * which job runs.
 */
final class EngineEventHandler {
    private static final Logger LOG = LoggerFactory.getLogger(EngineEventHandler.class);

    private final EngineOutbox outbox;
    private final EngineOrderFactory orders;
    private final LiveJobIndex liveJobs;
    private final StartDeadlines deadlines;
    private final ProfileService profiles;
    private boolean wasReachable;

    EngineEventHandler(
            EngineOutbox outbox,
            EngineOrderFactory orders,
            LiveJobIndex liveJobs,
            StartDeadlines deadlines,
            ProfileService profiles) {
        this.outbox = outbox;
        this.orders = orders;
        this.liveJobs = liveJobs;
        this.deadlines = deadlines;
        this.profiles = profiles;
    }

    /** Handles the answers of one cycle, and adds the events for the scheduler that follow from them. */
    void handle(List<EngineEvent> events, CycleOutput output) {
        for (EngineEvent event : events) {
            outbox.hear(output.nowMillis);
            switch (event.type()) {
                case ACCEPTED -> accept((EngineEvent.Accepted) event, output);
                case ORDER_FAILED -> fail((EngineEvent.OrderFailed) event, output);
                case BOUND -> bind((EngineEvent.Bound) event, output);
                case REACHABLE -> markReachable(output);
                case UNREACHABLE -> {
                    outbox.markUnreachable(((EngineEvent.Unreachable) event).cause(), output.nowMillis);
                    output.addEngineAnswer("engine", "unreachable");
                }
                case STATE_CHANGED -> observe(((EngineEvent.StateChanged) event).event(), output);
                case SAVE_ABILITY_SHOWN -> {
                    EngineEvent.SaveAbilityShown shown = (EngineEvent.SaveAbilityShown) event;
                    LiveJob job = liveJobs.find(shown.jobId());
                    if (job != null && job.attempt() == shown.attempt()) {
                        profiles.recordSaveAbility(job);
                    }
                }
                case MEASUREMENTS_REPORTED,
                        PROGRESS_REPORTED,
                        NODE_REPORTED,
                        NODE_GONE,
                        NODE_CONDITION_REPORTED,
                        FOREIGN_LOAD_REPORTED,
                        JOB_OBSERVED -> {}
            }
        }
        if (outbox.isReachable()) {
            deadlines.takeExpired(output.nowMillis).forEach(late -> abort(late, output));
        }
    }

    private void accept(EngineEvent.Accepted accepted, CycleOutput output) {
        OrderId id = accepted.order();
        boolean expected = outbox.accept(id);
        LiveAttempt attempt = findCurrent(id.jobId(), id.attempt(), id + " accepted", output);
        output.addEngineAnswer(id.type().label(), expected ? "accepted" : "repeated");
        boolean places = id.type() == EngineOrder.Type.START || id.type() == EngineOrder.Type.ADOPT;
        if (attempt != null && places && attempt.recordAcceptance(accepted.externalId(), output.nowMillis)) {
            output.changedAttempts.add(attempt);
        }
    }

    private void bind(EngineEvent.Bound bound, CycleOutput output) {
        outbox.confirmStart(bound.jobId(), bound.attempt());
        deadlines.end(bound.jobId(), bound.attempt());
        LiveAttempt attempt = findCurrent(bound.jobId(), bound.attempt(), "devices bound", output);
        if (attempt != null && attempt.recordDevices(bound.devices())) {
            output.changedAttempts.add(attempt);
        }
    }

    private void fail(EngineEvent.OrderFailed failure, CycleOutput output) {
        OrderId id = failure.order();
        LiveAttempt attempt = findCurrent(id.jobId(), id.attempt(), id + " failed", output);
        EngineOrder refused = outbox.fail(failure, output.nowMillis);
        output.addEngineAnswer(id.type().label(), refused == null ? "transient" : "permanent");
        if (refused != null && attempt == null) {
            outbox.endAttempt(id.jobId(), id.attempt()); // nothing is left to kill
        }
        if (refused == null || attempt == null) {
            return;
        }
        switch (id.type()) {
            case START -> failStart(id.jobId(), id.attempt(), failure.cause(), failure.node(), output);
            case PREEMPT, KILL -> outbox.add(orders.adopt(id.jobId(), output.nowMillis));
            case LIMIT, ADOPT -> {}
        }
    }

    private void failStart(long jobId, int attempt, String cause, int node, CycleOutput output) {
        deadlines.end(jobId, attempt);
        outbox.endAttempt(jobId, attempt);
        output.addEvent(new Event.StartFailed(jobId, attempt, cause, node));
    }

    /** The start was not confirmed in time. Its GPUs are free when the engine says that the attempt is gone. */
    private void abort(StartDeadlines.AttemptKey late, CycleOutput output) {
        LiveAttempt attempt = findCurrent(late.jobId(), late.attempt(), "start deadline", output);
        if (attempt == null) {
            return;
        }
        String why = "the engine did not confirm it within " + deadlines.timeoutMillis() / 1000 + " s";
        LOG.warn(
                "attempt {}.{}: start failed: {}; it is cancelled there, and its GPUs stay held until it is gone",
                late.jobId(),
                late.attempt(),
                why);
        attempt.abortStart(why);
        output.changedAttempts.add(attempt);
        output.addEngineAnswer("start", "timeout");
        outbox.add(new EngineOrder.Kill(late.jobId(), late.attempt()));
    }

    /**
     * The end of an attempt whose start was cancelled is not the end of its job. It is a failed start, reported here, or a lost
     * attempt where it began after all. Returns what is left to handle; null for nothing.
     */
    Event.@Nullable AttemptEnded settleAbortedStart(Event.AttemptEnded ended, LiveJob job, CycleOutput output) {
        LiveAttempt attempt = job.liveAttempt;
        boolean byItself = ended.outcome() == Outcome.COMPLETED || ended.outcome() == Outcome.FAILED;
        if (attempt == null || attempt.startAbort().isEmpty() || !job.state().holdsGpus() || byItself) {
            return ended;
        }
        if (job.state() == JobState.STARTING && !output.reportsRunning(job.id, job.attempt())) {
            failStart(job.id, job.attempt(), attempt.startAbort(), orders.onlyNodeOf(attempt.allocation), output);
            return null;
        }
        return new Event.AttemptEnded(job.id, job.attempt(), Outcome.LOST, ended.usage(), ended.mayRetry());
    }

    /** An engine that was away may have forgotten what it knew: it reports the state of every attempt again. */
    private void markReachable(CycleOutput output) {
        boolean back = wasReachable && !outbox.isReachable();
        if (back) {
            LOG.info("engine reachable again after {} s", (output.nowMillis - outbox.sinceMillis()) / 1000);
            output.addEngineAnswer("engine", "reachable");
            for (LiveJob job : liveJobs.all()) {
                if (job.state().holdsGpus() && job.liveAttempt != null && job.liveAttempt.isAccepted()) {
                    outbox.add(orders.adopt(job.id, output.nowMillis));
                }
            }
        }
        wasReachable = true;
        outbox.markReachable(output.nowMillis);
        deadlines.restart(output.nowMillis);
    }

    private void observe(Event event, CycleOutput output) {
        switch (event.type()) {
            case RUNNING -> {
                Event.Running running = (Event.Running) event;
                outbox.confirmStart(running.jobId(), running.attempt());
                deadlines.end(running.jobId(), running.attempt());
                findCurrent(running.jobId(), running.attempt(), "running", output);
            }
            case ATTEMPT_ENDED -> {
                Event.AttemptEnded ended = (Event.AttemptEnded) event;
                outbox.endAttempt(ended.jobId(), ended.attempt());
                deadlines.end(ended.jobId(), ended.attempt());
                findCurrent(ended.jobId(), ended.attempt(), "ended", output);
            }
            default -> {} // not about an attempt
        }
    }

    /** The attempt that an answer is about; null for one that is not on GPUs, which is logged if it never was. */
    private @Nullable LiveAttempt findCurrent(long jobId, int attempt, String news, CycleOutput output) {
        LiveJob job = liveJobs.find(jobId);
        if (job != null && job.attempt() == attempt && job.state().holdsGpus()) {
            return Objects.requireNonNull(job.liveAttempt);
        }
        boolean past = job == null ? jobId > 0 && jobId < output.nextJobId : attempt <= job.attempt();
        output.addEngineAnswer("attempt", past ? "late" : "unknown");
        if (!past) {
            LOG.warn("attempt {}.{}: the engine reports \"{}\", but never got it; ignored", jobId, attempt, news);
        }
        return null;
    }
}
