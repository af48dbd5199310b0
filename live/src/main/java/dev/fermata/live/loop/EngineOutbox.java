package dev.fermata.live.loop;

import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineEvent.FailureKind;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.OrderId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The orders that the engine has not accepted yet, and whether it can be reached. An order is sent when its cycle is durable,
 * and repeated with exponential backoff until it is accepted, refused for good, or its attempt has ended.
 *
 * <p>It is a projection: after a restart it is rebuilt from the attempts on GPUs ({@link EngineOrderFactory}), and every order
 * has its id again. It calls no engine and reads no clock.
 */
final class EngineOutbox {
    private static final Logger LOG = LoggerFactory.getLogger(EngineOutbox.class);
    /** First wait after a transient failure. */
    private static final long RETRY_MILLIS = 1_000;
    /** First wait for an answer. */
    private static final long ANSWER_MILLIS = 5_000;

    private static final long MAX_WAIT_MILLIS = 60_000;
    /** An engine that answers nothing for so long counts as unreachable. */
    static final long SILENCE_MILLIS = 60_000;
    /** An engine that was just opened is given this long before its silence is a problem. */
    private static final long OPEN_MILLIS = 5_000;

    private final Map<OrderId, PendingOrder> pending = new LinkedHashMap<>();
    private boolean opened;
    private boolean reachable;
    /** Whether only its silence says that it cannot be reached; then it gets orders as probes. */
    private boolean silent;

    private String problem = "";
    private long sinceMillis;
    private long heardMillis;

    /** An order without an answer. */
    private static final class PendingOrder {
        final EngineOrder order;
        int sent;
        int failed;
        long firstSentMillis;
        long dueMillis;
        String cause = "";

        PendingOrder(EngineOrder order) {
            this.order = order;
        }
    }

    // ---- orders ----

    /** An order that this cycle decided. A kill replaces the start of its attempt, a limit an earlier one. */
    void add(EngineOrder order) {
        switch (order.type()) {
            case KILL -> remove(order.jobId(), order.attempt(), EngineOrder.Type.START);
            case LIMIT -> remove(order.jobId(), order.attempt(), EngineOrder.Type.LIMIT);
            case ADOPT -> remove(order.jobId(), order.attempt(), EngineOrder.Type.ADOPT);
            case START, PREEMPT -> {}
        }
        pending.putIfAbsent(order.id(), new PendingOrder(order));
    }

    /** The engine has the order; false where that was known. */
    boolean accept(OrderId id) {
        return pending.remove(id) != null;
    }

    /** The attempt has started, so its start was accepted. */
    void confirmStart(long jobId, int attempt) {
        remove(jobId, attempt, EngineOrder.Type.START);
    }

    /** The attempt has ended: nothing is left to order. */
    void endAttempt(long jobId, int attempt) {
        pending.keySet().removeIf(id -> id.jobId() == jobId && id.attempt() == attempt);
    }

    private void remove(long jobId, int attempt, EngineOrder.Type type) {
        pending.keySet().removeIf(id -> id.jobId() == jobId && id.attempt() == attempt && id.type() == type);
    }

    /**
     * The engine did not take the order. Returns the order if it is refused for good; a preemption or kill is repeated all
     * the same, since its attempt still holds GPUs.
     */
    @Nullable
    EngineOrder fail(EngineEvent.OrderFailed failure, long nowMillis) {
        PendingOrder entry = pending.get(failure.order());
        if (entry == null) {
            return null;
        }
        entry.failed++;
        entry.cause = failure.cause();
        EngineOrder.Type type = entry.order.type();
        boolean permanent = failure.kind() == FailureKind.PERMANENT && type != EngineOrder.Type.ADOPT;
        long wait = permanent ? MAX_WAIT_MILLIS : backoff(RETRY_MILLIS, entry.failed);
        entry.dueMillis = nowMillis + wait;
        boolean repeated = !permanent || type == EngineOrder.Type.PREEMPT || type == EngineOrder.Type.KILL;
        LOG.warn(
                "attempt {}: {} order failed ({}): {}{}",
                failure.order().attemptName(),
                type.label(),
                permanent ? "permanent" : "transient",
                failure.cause(),
                repeated ? "; retry " + entry.failed + " in " + wait / 1000 + "s" : "");
        if (!repeated) {
            pending.remove(failure.order());
        }
        return permanent ? entry.order : null;
    }

    /** The orders to send now; the next call returns them again only when they are due again. */
    List<EngineOrder> takeDue(long nowMillis) {
        checkSilence(nowMillis);
        List<EngineOrder> due = new ArrayList<>();
        for (PendingOrder entry : pending.values()) {
            if (entry.dueMillis <= nowMillis && (reachable || (silent && due.isEmpty()))) {
                if (entry.sent > entry.failed) {
                    LOG.warn(
                            "attempt {}: {} order not answered for {} s; repeated",
                            entry.order.id().attemptName(),
                            entry.order.type().label(),
                            (nowMillis - entry.firstSentMillis) / 1000);
                }
                entry.firstSentMillis = entry.sent == 0 ? nowMillis : entry.firstSentMillis;
                entry.sent++;
                entry.dueMillis = nowMillis + backoff(ANSWER_MILLIS, entry.sent);
                due.add(entry.order);
            }
        }
        return due;
    }

    private static long backoff(long first, int times) {
        return Math.min(MAX_WAIT_MILLIS, first << Math.min(times - 1, 16));
    }

    /** When {@link #takeDue} may have something, or {@link #problem} changes. */
    long nextMillis() {
        long next = opened && !reachable && !silent && problem.isEmpty() ? sinceMillis + OPEN_MILLIS : Long.MAX_VALUE;
        if (reachable || silent) {
            for (PendingOrder entry : pending.values()) {
                next = Math.min(next, entry.dueMillis);
            }
        }
        return next;
    }

    /** What keeps the orders to an attempt from being accepted; empty for nothing. */
    String describe(long jobId, int attempt) {
        for (PendingOrder entry : pending.values()) {
            if (entry.order.jobId() == jobId && entry.order.attempt() == attempt && entry.sent > 0) {
                return "the engine has not accepted the " + entry.order.type().label() + " order yet"
                        + (entry.cause.isEmpty() ? "" : " (" + entry.cause + ")");
            }
        }
        return "";
    }

    int size() {
        return pending.size();
    }

    // ---- whether the engine can be reached ----

    /** The engine is being opened: it is unreachable until it says otherwise. */
    void open(long nowMillis) {
        opened = true;
        sinceMillis = nowMillis;
        heardMillis = nowMillis;
    }

    /** An event arrived. */
    void hear(long nowMillis) {
        heardMillis = nowMillis;
        if (silent) {
            LOG.info("engine answers again after {} s", (nowMillis - sinceMillis) / 1000);
            markReachable(nowMillis);
        }
    }

    void markReachable(long nowMillis) {
        reachable = true;
        silent = false;
        problem = "";
        sinceMillis = nowMillis;
        pending.values().forEach(entry -> entry.dueMillis = Math.min(entry.dueMillis, nowMillis));
    }

    void markUnreachable(String cause, long nowMillis) {
        if (reachable || silent || problem.isEmpty()) {
            LOG.error("engine unreachable: {}; running jobs continue, nothing is started", cause);
            sinceMillis = reachable ? nowMillis : sinceMillis;
        }
        reachable = false;
        silent = false;
        problem = cause;
    }

    private void checkSilence(long nowMillis) {
        if (reachable && nowMillis - heardMillis >= SILENCE_MILLIS) {
            for (PendingOrder entry : pending.values()) {
                if (entry.sent > 1 && nowMillis - entry.firstSentMillis >= SILENCE_MILLIS) {
                    markUnreachable(
                            "no answer to the " + entry.order.type().label() + " order of attempt "
                                    + entry.order.id().attemptName() + " for "
                                    + (nowMillis - entry.firstSentMillis) / 1000 + " s",
                            nowMillis);
                    silent = true;
                    return;
                }
            }
        } else if (opened && !reachable && problem.isEmpty() && nowMillis - sinceMillis >= OPEN_MILLIS) {
            markUnreachable("it has not answered since it was opened", nowMillis);
        }
    }

    /** Whether decisions can be carried out. */
    boolean isReachable() {
        return reachable;
    }

    /** Since when {@link #isReachable} has its value. */
    long sinceMillis() {
        return sinceMillis;
    }

    /** Why the engine cannot be reached; empty while it can, and for a moment after it was opened. */
    String problem() {
        return problem;
    }
}
