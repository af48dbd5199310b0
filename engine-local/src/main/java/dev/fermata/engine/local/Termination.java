package dev.fermata.engine.local;

import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends an attempt on request: a signal, the grace time, then a kill. */
final class Termination {
    private static final Logger LOG = LoggerFactory.getLogger(Termination.class);

    /** Bounds the rounds in which processes are listed for a signal. */
    private static final int MAX_ROUNDS = 100;

    private static final long ROUND_MILLIS = 10;

    private final EngineServices services;
    private final Launch launch;
    private final AttemptProcesses processes;
    private final AttemptFolder folder;
    /** The attempt is about to be reported as ended: too late for a request. */
    private final AtomicBoolean attemptEnded;

    private volatile boolean killed;
    private Runnable cancelKill = () -> {};
    private boolean running;
    private boolean signalRequested;
    private boolean shimExited;
    private @Nullable TerminationRequest terminationRequest;

    Termination(EngineServices services, Launch launch, AttemptProcesses processes, AtomicBoolean over) {
        this.services = services;
        this.launch = launch;
        this.processes = processes;
        this.folder = processes.folder();
        this.attemptEnded = over;
    }

    /** The request to exit; null for none. */
    synchronized @Nullable TerminationRequest request() {
        return terminationRequest;
    }

    /** When it got the signal to exit; never before. */
    synchronized long requestedMillis() {
        return terminationRequest == null ? Long.MAX_VALUE : terminationRequest.requestedMillis();
    }

    /** Whether it was killed. */
    boolean wasKilled() {
        return killed || folder.wasKilled();
    }

    /** Continues the request of an earlier daemon. */
    synchronized void restore() {
        TerminationRequest found = folder.terminationRequest();
        if (found != null) {
            // The wall clock may have been set since, and a job may have written the file: the grace time never grows.
            long now = services.executor().nowMillis();
            long grace = Math.max(0, found.deadlineMillis() - found.requestedMillis());
            long left = Math.max(0, Math.min(found.deadlineMillis() - now, Math.min(grace, restoredGraceMillis())));
            found = new TerminationRequest(found.cause(), found.requestedMillis(), now + left, found.signalHandled());
        }
        terminationRequest = found;
        signalRequested = found != null;
        killed = folder.wasKilled();
    }

    /** No request has a longer grace time than this. */
    private long restoredGraceMillis() {
        return Math.max(
                launch.spec().preempt().graceMillis(), services.settings().killGraceMillis());
    }

    /** Its command runs: from now on it can be signalled. */
    synchronized void markRunning() {
        running = true;
        if (terminationRequest != null) {
            services.executor().submit(this::sendSignal);
        }
    }

    /** Requests its exit: a signal now, a kill after the grace time. A stronger cause replaces a weaker one. */
    synchronized void terminate(TerminationCause cause, long graceMillis) {
        boolean stronger = terminationRequest == null
                || (cause == TerminationCause.KILL && terminationRequest.cause() != TerminationCause.KILL);
        if (attemptEnded.get() || !stronger) {
            return;
        }
        long now = services.executor().nowMillis();
        terminationRequest = new TerminationRequest(cause, now, now + Math.max(0, graceMillis), false);
        if (running) {
            services.executor().submit(this::sendSignal);
        }
    }

    /** Signals the right processes, unless an earlier daemon did, and sets the deadline. */
    private void sendSignal() throws InterruptedException {
        TerminationRequest request;
        synchronized (this) {
            request = terminationRequest;
            if (request == null || attemptEnded.get() || shimExited || folder.exitCode() != null) {
                return; // it has ended by itself
            }
            signalRequested = true;
            cancelKill.run();
            long grace = request.deadlineMillis() - services.executor().nowMillis();
            cancelKill = services.executor()
                    .scheduleCancellable(grace, () -> services.executor().retryUntilDone(name(), this::killRemaining));
        }
        TerminationRequest written = folder.terminationRequest();
        if (written != null && written.cause() == request.cause() && Files.exists(folder.file("signalled"))) {
            return;
        }
        try {
            Signal signal = request.cause() == TerminationCause.KILL
                    ? Signal.TERM
                    : Signal.byName(launch.spec().checkpoint().signal());
            List<Proc> all = awaitMembers();
            Set<Proc> listeners = new HashSet<>();
            all.stream().filter(proc -> proc.handles(signal)).forEach(listeners::add);
            request = new TerminationRequest(
                    request.cause(), request.requestedMillis(), request.deadlineMillis(), !listeners.isEmpty());
            synchronized (this) {
                if (terminationRequest == null || terminationRequest.cause() != request.cause()) {
                    return; // replaced by a stronger cause
                }
                terminationRequest = request;
            }
            folder.terminationRequest(request);
            signal.send(AttemptMembers.signalTargets(all, listeners));
            if (listeners.isEmpty()) {
                signalForked(signal, all);
            }
            folder.write("signalled", "");
        } catch (IOException e) {
            LOG.warn("attempt {}: exit signal failed: {}", name(), e.toString());
        }
    }

    /** The members, once there are any: a rank is none until it leads its own session, a moment after its fork. */
    private List<Proc> awaitMembers() throws InterruptedException {
        List<Proc> all = processes.members().list();
        for (int i = 0; i < MAX_ROUNDS && all.isEmpty() && isAnyRankAlive(); i++) {
            Thread.sleep(ROUND_MILLIS);
            all = processes.members().list();
        }
        return all;
    }

    private boolean isAnyRankAlive() {
        return folder.ranks().stream().anyMatch(rank -> Proc.alive(rank.pid(), rank.start()));
    }

    /** Signals the processes that were forked while the signal was sent: they would live on until the grace time ends. */
    private void signalForked(Signal signal, List<Proc> first) throws IOException, InterruptedException {
        Set<AttemptFolder.ProcessRef> signalled = new HashSet<>();
        first.forEach(proc -> signalled.add(new AttemptFolder.ProcessRef(proc.pid(), proc.start())));
        for (int i = 0; i < MAX_ROUNDS; i++) {
            List<Proc> forked = processes.members().list().stream()
                    .filter(proc -> signalled.add(new AttemptFolder.ProcessRef(proc.pid(), proc.start())))
                    .filter(proc -> !proc.handles(signal))
                    .toList();
            if (forked.isEmpty()) {
                return;
            }
            signal.send(forked);
        }
    }

    /** The grace time is over. */
    private void killRemaining() throws InterruptedException {
        synchronized (this) {
            if (attemptEnded.get()
                    || shimExited
                    || terminationRequest == null
                    || services.executor().nowMillis() < terminationRequest.deadlineMillis()) {
                return; // it exits by itself, or a later deadline holds
            }
        }
        if (!processes.members().list().isEmpty()) {
            markKilled();
        }
        processes.reaper().reap(services.settings().stuckTimeoutMillis());
        processes.reaper().awaitShimExit();
    }

    private void markKilled() {
        killed = true;
        try {
            folder.markKilled();
        } catch (IOException e) {
            LOG.warn("attempt {}: cannot record its kill: {}", name(), e.toString());
        }
    }

    /** The shim has exited. The rest of the attempt keeps its remaining grace time if it got the signal to exit. */
    void handleShimExit() throws InterruptedException {
        TerminationRequest request;
        synchronized (this) {
            shimExited = true;
            terminationRequest = signalRequested
                    ? terminationRequest
                    : folder.terminationRequest(); // a request that came too late does not count
            request = terminationRequest;
        }
        long wait = 10;
        while (request != null && !killed && !processes.members().list().isEmpty()) {
            if (services.executor().nowMillis() >= request.deadlineMillis()) {
                markKilled();
            } else {
                Thread.sleep(wait);
                wait = Math.min(200, 2 * wait);
                synchronized (this) {
                    request = terminationRequest; // a kill meanwhile has an earlier deadline
                }
            }
        }
    }

    /** Cancels the timers of an ended attempt. */
    synchronized void cancelTimers() {
        cancelKill.run();
    }

    private String name() {
        return launch.jobId() + "." + launch.attempt();
    }
}
