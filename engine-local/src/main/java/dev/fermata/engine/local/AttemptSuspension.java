package dev.fermata.engine.local;

import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.OrderId;
import dev.fermata.live.spec.SuspendRule;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The suspension of one attempt. First its processes are locked: they use no GPU any more. Where the next job fits
 * besides, their memory stays on the GPUs for a while, since most that they make room for are short; else it is moved at once.
 */
final class AttemptSuspension {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptSuspension.class);
    private static final long RESUME_LIMIT_MILLIS = 120_000;
    private static final long MOVE_AFTER_MILLIS = 10_000;

    /**
     * The memory of locked processes on their GPUs.
     *
     * @param freeMib what others can have besides
     * @param moved done when it has left the GPUs, or cannot
     */
    private record HeldMemory(long freeMib, CompletableFuture<Void> moved) {
        static HeldMemory none() {
            return new HeldMemory(0, CompletableFuture.completedFuture(null));
        }
    }

    private final EngineServices services;
    private final AttemptProcesses processes;
    private final LocalAttempt attempt;
    /** Held while its processes are being suspended or resumed. */
    private final Object lock = new Object();

    /** The attempt has ended, and the next one resumes its processes. */
    private volatile boolean suspended;

    private volatile HeldMemory memory = HeldMemory.none();

    AttemptSuspension(EngineServices services, AttemptProcesses processes, LocalAttempt attempt) {
        this.services = services;
        this.processes = processes;
        this.attempt = attempt;
    }

    boolean isSuspended() {
        return suspended;
    }

    /** An earlier daemon suspended it; whether its memory has left the GPUs is not known. */
    void mark() {
        suspended = true;
        memory = new HeldMemory(0, new CompletableFuture<>());
    }

    /** Suspends its processes, all or none; in the second case it goes on. */
    void suspend(EngineOrder.Preempt order) {
        change(() -> {
            long since = services.executor().nowMillis();
            if (attempt.isLeaving() || suspended) {
                return; // its end is reported
            }
            services.groups().liftMemoryLimit(processes.group());
            Suspender.Answer answer = services.suspender().suspend(suspendable(order.roomMib(), order.limitMillis()));
            if (answer.left() && processes.folder().exitCode() != null) {
                String unused = services.suspender().resume(this::members, RESUME_LIMIT_MILLIS);
                return; // it ended meanwhile, which is reported
            }
            if (!answer.left() || attempt.isLeaving()) {
                services.groups().restoreMemoryLimit(processes.group(), attempt.launch());
                letRun(answer);
                return;
            }
            boolean whole = answer.result() == Suspender.Result.SUSPENDED;
            memory = whole ? HeldMemory.none() : new HeldMemory(answer.freeMib(), new CompletableFuture<>());
            suspended = true;
            attempt.accounting().suspended(since, whole);
            if (!whole) {
                HeldMemory held = memory;
                services.executor().runLater(MOVE_AFTER_MILLIS, () -> move(held));
            }
        });
    }

    /** It could not be suspended, or is to end: reported once its processes run, which is tried until they do. */
    private void letRun(Suspender.Answer answer) throws InterruptedException {
        if (!answer.cause().isEmpty()) {
            LOG.warn("attempt {}: not suspended: {}", attempt, answer.cause());
        }
        services.executor().retryUntilDone(attempt.toString(), () -> {
            boolean stopped = answer.left() || answer.result() == Suspender.Result.STUCK;
            String broken = stopped && !attempt.isEnded()
                    ? services.suspender().resume(this::members, RESUME_LIMIT_MILLIS)
                    : "";
            if (!broken.isEmpty()) {
                throw new IOException("its processes could not be resumed: " + broken);
            }
            if (!attempt.isLeaving()) {
                attempt.accounting().suspendFailed(answer.cause(), answer.result() == Suspender.Result.NEVER);
            }
        });
    }

    /** Done when another attempt may start: one that is not known to fit waits until this memory has left their GPUs. */
    CompletableFuture<Void> vacatedFor(Launch next) {
        HeldMemory held = memory;
        boolean apart = IntStream.of(next.allocation().toArray())
                .noneMatch(gpu -> attempt.launch().allocation().contains(gpu));
        int need = next.spec().gpuMemoryMib();
        if (apart || next.processName().equals(attempt.toString()) || (need > 0 && need <= held.freeMib)) {
            return CompletableFuture.completedFuture(null);
        }
        if (!held.moved.isDone()) {
            services.executor().submit(this::moveMemory);
        }
        return held.moved;
    }

    /** Moves what is still on its GPUs. What cannot be moved stays, and others start next to it. */
    void moveMemory() {
        move(memory);
    }

    /** A later suspension has memory of its own, and time of its own. */
    private void move(HeldMemory held) {
        change(() -> {
            if (!suspended || attempt.isEnded() || held.moved.isDone()) {
                return;
            }
            String broken = services.suspender().move(suspendable(-1, RESUME_LIMIT_MILLIS));
            if (!broken.isEmpty()) {
                LOG.warn("attempt {}: its memory stays on its GPUs: {}", attempt, broken);
            }
            held.moved.complete(null);
        });
    }

    /** Resumes its processes as another attempt; a failed start leaves them suspended. */
    void resume(Launch next, OrderId order) {
        change(() -> {
            if (!suspended) {
                attempt.answer(order); // it came before
                return;
            }
            long since = services.executor().nowMillis();
            String broken = services.suspender().resume(this::members, RESUME_LIMIT_MILLIS);
            if (!broken.isEmpty()) {
                LOG.warn("attempt {}: not resumed: {}", attempt, broken);
                String unused = services.suspender().move(suspendable(-1, RESUME_LIMIT_MILLIS));
                int node =
                        services.hardware().topology().nodeOf(next.allocation().gpu(0));
                services.events()
                        .accept(new EngineEvent.OrderFailed(order, EngineEvent.FailureKind.PERMANENT, broken, node));
                return;
            }
            services.groups().restoreMemoryLimit(processes.group(), next);
            release();
            suspended = false;
            attempt.continueAs(next, order, services.executor().nowMillis() - since);
            attempt.reportEndMeanwhile();
        });
    }

    /** Nothing of it is on the GPUs because of a suspension. */
    void release() {
        memory.moved.complete(null);
    }

    /** One change at a time: it finds what the one before it did. */
    private void change(EngineExecutor.EngineTask change) {
        services.executor().submit(() -> {
            synchronized (lock) {
                change.run();
            }
        });
    }

    private Suspender.Suspendable suspendable(long roomMib, long limitMillis) {
        boolean all = attempt.launch().spec().preempt().suspend() == SuspendRule.ALL;
        return new Suspender.Suspendable(this::members, all ? Integer.MAX_VALUE : 1, roomMib, devices(), limitMillis);
    }

    private List<Proc> members() {
        return processes.members().list();
    }

    /** The numbers of its GPUs for the driver. */
    private List<Integer> devices() {
        return IntStream.of(attempt.launch().allocation().toArray())
                .map(gpu -> services.hardware().devices().get(gpu))
                .filter(device -> device != Hardware.NO_DEVICE)
                .boxed()
                .toList();
    }
}
