package dev.fermata.live.shadow;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Speed;
import dev.fermata.history.ObservedJob;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.request.Actor;
import dev.fermata.live.request.LoopRequest;
import dev.fermata.live.state.LiveAttempt;
import dev.fermata.live.state.LiveJob;
import dev.fermata.live.state.LiveJobIndex;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The workload of shadow mode: for each job of the other scheduler one that is submitted here, under the same user. It starts
 * when Fermata decides so, and runs as long as the other one ran. It ends no earlier than that one: until then its run time is
 * not known. Only {@link #take} may be called from any thread.
 */
public final class ShadowWorkload {
    private static final Logger LOG = LoggerFactory.getLogger(ShadowWorkload.class);
    /** Submissions in one cycle; the next cycle has more. */
    private static final int MAX_SUBMISSIONS = 500;

    private static final Actor ENGINE = new Actor("engine", "OPERATOR", "shadow");

    /** A job of the other scheduler and the one here. */
    private static final class Pair {
        /** As it was last seen; null for one that was not seen since this daemon started. */
        private @Nullable ObservedJob seen;
        /** The job here; -1 as long as it is not accepted. */
        private long job = -1;

        private boolean isSubmitted;
        private boolean recorded;
    }

    /**
     * What one cycle handles on behalf of the other scheduler.
     *
     * @param events besides those that the engine reports
     */
    public record Step(List<EngineEvent> events, List<LoopRequest> requests) {}

    private record Due(long atMillis, long job) {}

    private final Queue<EngineOrder> orders = new ConcurrentLinkedQueue<>();
    private final Map<String, Pair> byId = new LinkedHashMap<>();
    private final Map<Long, Pair> byJob = new HashMap<>();
    private final Deque<Pair> unsubmitted = new ArrayDeque<>();
    private final Set<Pair> unrecorded = new LinkedHashSet<>();
    /** Jobs here whose state is to be compared with what was seen. */
    private final Set<Long> touched = new LinkedHashSet<>();

    private final PriorityQueue<Due> dues = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));
    /** What the earlier attempts of a job on GPUs have saved. */
    private final Map<Long, Long> savedWork = new HashMap<>();

    private long beganMillis = -1;

    /** An attempt that was on GPUs when the daemon started. */
    void adopt(Launch launch) {
        orders.add(new EngineOrder.Adopt(launch, 0));
    }

    /** An order of Fermata, which the next step carries out here. */
    void take(EngineOrder order) {
        orders.add(order);
    }

    /** When a step is due although nothing was reported. */
    public long nextMillis() {
        Due due = dues.peek();
        return !unsubmitted.isEmpty() || !unrecorded.isEmpty() ? 0 : due == null ? Plan.NEVER : due.atMillis;
    }

    /** What follows from what was seen and ordered. */
    public Step step(long nowMillis, List<EngineEvent> reported, LiveJobIndex liveJobs) {
        if (beganMillis < 0) {
            beganMillis = nowMillis;
            liveJobs.all().forEach(this::restore);
        }
        Step step = new Step(new ArrayList<>(), new ArrayList<>());
        for (EngineEvent event : reported) {
            if (event instanceof EngineEvent.JobObserved observed) {
                observe(observed.job());
            } else if (event instanceof EngineEvent.Reachable) {
                cancelMissing(step);
            }
        }
        submit(step);
        record(step);
        for (EngineOrder order = orders.poll(); order != null; order = orders.poll()) {
            carryOut(order, liveJobs, nowMillis, step);
        }
        for (Due due = dues.peek(); due != null && due.atMillis <= nowMillis; due = dues.peek()) {
            touched.add(dues.remove().job);
        }
        touched.forEach(id -> compare(id, liveJobs.find(id), nowMillis, step));
        touched.clear();
        return step;
    }

    private void restore(LiveJob job) {
        String id = ShadowSpec.observed(job.spec);
        if (!id.isEmpty()) {
            Pair pair = new Pair();
            pair.isSubmitted = true;
            accept(pair, job.id);
            byId.put(id, pair);
        }
    }

    private void accept(Pair pair, long job) {
        pair.job = job;
        byJob.put(job, pair);
        touched.add(job);
    }

    // ---- the other scheduler ----

    private void observe(ObservedJob job) {
        Pair pair = byId.get(job.id());
        if (pair == null) {
            if (job.hasEnded() && job.run().submittedMillis() < beganMillis) {
                return; // it was over before anything was observed
            }
            pair = new Pair();
            byId.put(job.id(), pair);
            unsubmitted.add(pair);
        }
        pair.seen = job;
        if (pair.isSubmitted) {
            unrecorded.add(pair);
            touched.add(pair.job);
        }
    }

    private void submit(Step step) {
        for (int i = 0; i < MAX_SUBMISSIONS && !unsubmitted.isEmpty(); i++) {
            Pair pair = unsubmitted.remove();
            ObservedJob job = pair.seen;
            if (job != null) {
                CompletableFuture<List<Long>> answer = new CompletableFuture<>();
                var unused = answer.whenComplete((ids, rejection) -> {
                    pair.isSubmitted = true;
                    if (ids == null) {
                        LOG.info("job {} of the other scheduler is not shadowed: {}", job.id(), rejection.getMessage());
                    } else {
                        accept(pair, ids.get(0));
                    }
                    unrecorded.add(pair);
                });
                Actor actor = new Actor(job.user(), ENGINE.role(), ENGINE.address());
                step.requests.add(new LoopRequest.SubmitJobs(
                        actor, List.of(ShadowSpec.of(job)), "shadow of " + job.id(), "", answer));
            }
        }
    }

    /** Once what was seen of a job is in the history, an ended one is forgotten here. */
    private void record(Step step) {
        for (Pair pair : unrecorded) {
            ObservedJob job = pair.seen;
            if (job != null) {
                pair.recorded = true;
                step.requests.add(new LoopRequest.RecordObserved(pair.job, job, new CompletableFuture<>()));
                forget(pair, job, pair.job >= 0);
            }
        }
        unrecorded.clear();
    }

    private void forget(Pair pair, ObservedJob job, boolean isLive) {
        if (job.hasEnded() && pair.recorded && !isLive) {
            byId.remove(job.id());
            byJob.remove(pair.job);
            savedWork.remove(pair.job);
        }
    }

    /** All that there is was reported. What is missing ended while no daemon observed it: how long it ran is not known. */
    private void cancelMissing(Step step) {
        for (Map.Entry<Long, Pair> entry : byJob.entrySet()) {
            if (entry.getValue().seen == null) {
                LOG.info("job {}: the other scheduler no longer has it; it is cancelled", entry.getKey());
                step.requests.add(new LoopRequest.JobRequest(
                        ENGINE, LoopRequest.JobAction.CANCEL, entry.getKey(), new CompletableFuture<>()));
            }
        }
    }

    // ---- here ----

    private void carryOut(EngineOrder order, LiveJobIndex liveJobs, long nowMillis, Step step) {
        switch (order.type()) {
            case START -> adopt(((EngineOrder.Start) order).launch().savedWorkMillis(), order);
            case ADOPT -> adopt(((EngineOrder.Adopt) order).launch().savedWorkMillis(), order);
            case PREEMPT -> end(order, Outcome.PREEMPTED, liveJobs, nowMillis, step);
            case KILL -> end(order, Outcome.CANCELLED, liveJobs, nowMillis, step);
            case LIMIT -> {}
        }
    }

    private void adopt(long savedWorkMillis, EngineOrder order) {
        savedWork.put(order.jobId(), savedWorkMillis);
        touched.add(order.jobId());
    }

    private void end(EngineOrder order, Outcome outcome, LiveJobIndex liveJobs, long nowMillis, Step step) {
        LiveJob job = liveJobs.find(order.jobId());
        LiveAttempt attempt = job == null ? null : job.liveAttempt;
        if (attempt != null && attempt.attempt == order.attempt()) {
            step.events.add(ended(attempt, outcome, nowMillis, "this daemon runs in shadow mode"));
            touched.add(order.jobId());
        }
    }

    private void compare(long id, @Nullable LiveJob job, long nowMillis, Step step) {
        Pair pair = byJob.get(id);
        ObservedJob seen = pair == null ? null : pair.seen;
        if (pair == null || seen == null) {
            return;
        }
        LiveAttempt attempt = job == null ? null : job.liveAttempt;
        if (job == null) {
            forget(pair, seen, false);
            return;
        }
        switch (job.state()) {
            case PENDING -> {
                if (seen.hasEnded() && !seen.hasStarted()) {
                    step.requests.add(new LoopRequest.JobRequest(
                            new Actor(job.user, ENGINE.role(), ENGINE.address()),
                            LoopRequest.JobAction.CANCEL,
                            id,
                            new CompletableFuture<>()));
                    dues.add(new Due(nowMillis + 1, id));
                }
            }
            case STARTING -> {
                if (attempt != null) {
                    step.events.add(
                            new EngineEvent.StateChanged(new Event.Running(id, attempt.attempt, Speed.UNIT), null));
                    dues.add(new Due(nowMillis + 1, id));
                }
            }
            case RUNNING -> {
                if (attempt != null && seen.hasEnded()) {
                    endWhenDone(attempt, seen, nowMillis, step);
                }
            }
            case PREEMPTING,
                    SUSPENDING,
                    SUSPENDED,
                    RESUMING,
                    COMPLETED,
                    FAILED,
                    CANCELLED,
                    TIMEOUT,
                    OOM,
                    UNSATISFIABLE -> {}
        }
    }

    /** It ends when it has run for as long as the other one did. */
    private void endWhenDone(LiveAttempt attempt, ObservedJob seen, long nowMillis, Step step) {
        long done = savedWork.getOrDefault(attempt.jobId, 0L) + nowMillis - attempt.runningMillis;
        long left = seen.ranMillis() - done;
        if (seen.hasStarted() && left > 0) {
            dues.add(new Due(nowMillis + left, attempt.jobId));
            return;
        }
        Outcome outcome = switch (seen.run().result()) {
            case COMPLETED -> Outcome.COMPLETED;
            case TIMEOUT -> Outcome.TIMEOUT;
            case FAILED -> Outcome.FAILED;
            case CANCELLED, UNKNOWN, NONE -> Outcome.CANCELLED;
        };
        step.events.add(ended(
                attempt,
                outcome,
                nowMillis,
                "job " + seen.id() + " ended as " + seen.run().result()));
        dues.add(new Due(nowMillis + 1, attempt.jobId));
    }

    /** Loading is part of the run that was seen; what runs is saved when it is preempted, and that takes no time. */
    private EngineEvent ended(LiveAttempt attempt, Outcome outcome, long nowMillis, String why) {
        long running = attempt.runningMillis < 0 ? nowMillis : attempt.runningMillis;
        long saved = savedWork.getOrDefault(attempt.jobId, 0L) + nowMillis - running;
        Usage usage = new Usage(running - attempt.startedMillis, nowMillis - running, 0, 0, 0, saved);
        return new EngineEvent.StateChanged(
                new Event.AttemptEnded(attempt.jobId, attempt.attempt, outcome, usage),
                new EngineEvent.AttemptExit(outcome == Outcome.COMPLETED ? 0 : null, 0, why));
    }
}
