package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.Event;
import dev.fermata.live.attempt.AttemptAccounting;
import dev.fermata.live.attempt.AttemptControl;
import dev.fermata.live.attempt.AttemptEnd;
import dev.fermata.live.attempt.EngineExecutor;
import dev.fermata.live.attempt.SingleLine;
import dev.fermata.live.attempt.TerminationCause;
import dev.fermata.live.attempt.TerminationRequest;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.EngineOrder;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.OrderId;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a job, from its start order or its {@link AttemptAdoption}, through its {@link Termination}, to its {@link
 * AttemptFinalizer}. Slow work runs on the engine's threads, so a stuck attempt blocks no other.
 */
final class LocalAttempt implements AttemptControl {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAttempt.class);

    private final EngineServices services;
    /** Another one for each time that its processes are resumed. */
    private volatile Launch launch;

    private final AttemptProcesses processes;
    private final AttemptFolder folder;
    private final Consumer<LocalAttempt> onReleased;
    private final AtomicBoolean endHandled = new AtomicBoolean();
    private final Termination termination;
    private final AttemptFinalizer finalizer;
    private volatile AttemptAccounting accounting;
    private final AttemptSuspension suspension;

    /** How it ended well while it was suspended. */
    private volatile @Nullable AttemptEnd endedMeanwhile;

    /** Whether the processes are killed on request while they are suspended. */
    private volatile boolean discarded;

    private volatile boolean shimStarted;
    /** Whether its command runs. */
    private volatile boolean commandRuns;
    /** Orders that are answered when its command runs. */
    private final Queue<OrderId> unanswered = new ConcurrentLinkedQueue<>();

    private volatile @Nullable OrderId startOrder;

    private final AtomicBoolean confirmed = new AtomicBoolean();

    LocalAttempt(EngineServices services, Launch launch, Consumer<LocalAttempt> released) {
        this.services = services;
        this.launch = launch;
        this.onReleased = released;
        this.processes = new AttemptProcesses(services, launch);
        this.folder = processes.folder();
        this.termination = new Termination(services, launch, processes, endHandled);
        this.finalizer = new AttemptFinalizer(services, launch, processes);
        this.accounting = services.attempts().open(launch, folder.path(), this);
        this.suspension = new AttemptSuspension(services, processes, this);
    }

    Launch launch() {
        return launch;
    }

    AttemptAccounting accounting() {
        return accounting;
    }

    /** The marker of its processes. */
    String marker() {
        return services.markers().of(launch.jobId(), launch.process());
    }

    long jobId() {
        return launch.jobId();
    }

    int number() {
        return launch.process();
    }

    /** Whether an order is for it: it names the attempt on GPUs, or the one that started the processes that are suspended. */
    boolean isNamed(long job, int attempt) {
        return launch.jobId() == job && (launch.attempt() == attempt || (isSuspended() && launch.process() == attempt));
    }

    boolean isSuspended() {
        return suspension.isSuspended();
    }

    /** Named after its processes. */
    @Override
    public String toString() {
        return launch.processName();
    }

    /** Its end is requested, reported or about to be. */
    boolean isLeaving() {
        return endHandled.get() || termination.request() != null;
    }

    /** Its end is reported, or about to be. */
    boolean isEnded() {
        return endHandled.get();
    }

    private void retryUntilDone(EngineExecutor.EngineTask step) throws InterruptedException {
        services.executor().retryUntilDone(toString(), step);
    }

    // Start

    /** Creates the folder, starts the shim and waits for its confirmation. */
    void start() throws InterruptedException {
        try {
            if (termination.request() != null) {
                folder.claim();
                endUnstarted(false, "it was cancelled before it began");
                return;
            }
            OsAccount account = services.accounts().resolve(launch.user());
            processes.setGroup(services.groups().create(toString(), launch));
            ShimLauncher spawn = new ShimLauncher(services, launch, account, folder);
            spawn.prepare(processes.group(), accounting);
            Process shim = spawn.launch();
            shimStarted = true;
            if (awaitStarted(shim)) {
                var unused = shim.onExit()
                        .thenAccept(ended -> services.executor()
                                .submit(() -> retryUntilDone(() -> handleShimExit(exitCodeOf(ended), true))));
            }
        } catch (AccountResolver.AccountUnavailable e) {
            endUnstarted(true, String.valueOf(e.getMessage()));
        } catch (InvalidPathException e) {
            endUnstarted(true, "could not be started: " + SingleLine.of(String.valueOf(e.getMessage()), 200));
        } catch (IOException | RuntimeException e) {
            handleStartFailure(e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private boolean awaitStarted(Process shim) throws IOException, InterruptedException {
        boolean started;
        try (BufferedReader words = new BufferedReader(new InputStreamReader(shim.getInputStream(), UTF_8))) {
            started = "running".equals(words.readLine());
        }
        if (!started) {
            shim.waitFor();
            handleStartFailure(
                    "its shim could not start: " + SingleLine.of(Files.readString(folder.file("shim.log")), 200));
            return false;
        }
        markRunning(services.executor().nowMillis());
        return true;
    }

    /** The exit record of the shim, or the shim's own exit code where a job has removed the record. */
    private @Nullable Integer exitCodeOf(Process shim) {
        return Files.exists(folder.file("exit")) ? folder.exitCode() : Integer.valueOf(shim.exitValue());
    }

    /** The attempt never began, and never will: the order is refused, and the scheduler decides when the next one comes. */
    private void handleStartFailure(String cause) throws InterruptedException {
        String detail = SingleLine.of(cause, 200);
        retryUntilDone(() -> {
            if (shimStarted) {
                killPartialStart();
            }
            OrderId order = startOrder;
            if (order == null || termination.request() != null) {
                endUnstarted(false, "could not be started: " + detail);
            } else if (endHandled.compareAndSet(false, true)) {
                release();
                accounting.discard();
                int node = services.hardware()
                        .topology()
                        .nodeOf(launch.allocation().gpu(0));
                services.events()
                        .accept(new EngineEvent.OrderFailed(order, EngineEvent.FailureKind.PERMANENT, detail, node));
            }
        });
    }

    /** A shim that died during the start may have started some ranks: they must not run next to the next attempt. */
    private void killPartialStart() throws InterruptedException {
        try {
            folder.claim();
        } catch (IOException e) {
            LOG.warn("attempt {}: claim failed, though its shim is gone: {}", this, e.toString());
        }
        finalizer.declareStuckGpus(
                processes.reaper().reapWithShim(services.settings().stuckTimeoutMillis()));
    }

    /** @param failed whether a retry would fail in the same way */
    void endUnstarted(boolean failed, String cause) throws InterruptedException {
        if (endHandled.compareAndSet(false, true)) {
            retryUntilDone(() -> finish(finalizer.unstarted(failed, termination.request(), cause)));
        }
    }

    /** Its command runs since {@code startedMillis}. */
    private void markRunning(long startedMillis) {
        termination.markRunning();
        commandRuns = true;
        confirm();
        accounting.started(startedMillis);
    }

    @Override
    public boolean handlesSignal() {
        return handlersFor(launch.spec().checkpoint().signal()).anyMatch(proc -> !proc.isLauncher());
    }

    /** Its processes with a handler of their own for this signal. */
    Stream<Proc> handlersFor(String name) {
        Signal signal = Signal.byName(name);
        return processes.members().list().stream().filter(proc -> proc.handles(signal));
    }

    @Override
    public @Nullable TerminationRequest terminationRequest() {
        return termination.request();
    }

    // Answers to orders

    /** The pid of its shim; empty while there is none. */
    String externalId() {
        AttemptFolder.ProcessRef shim = folder.shim();
        return shim == null ? "" : Integer.toString(shim.pid());
    }

    /** Whether an earlier daemon prepared it. */
    boolean wasOrdered() {
        return folder.order() != null;
    }

    /** Accepts the order as soon as its command runs: before, it is unknown whether it will. */
    void answer(OrderId order) {
        startOrder = order.type() == EngineOrder.Type.START ? order : startOrder;
        unanswered.add(order);
        if (commandRuns) {
            confirm();
        }
    }

    private void confirm() {
        String pid = externalId();
        for (OrderId order = unanswered.poll(); order != null; order = unanswered.poll()) {
            services.events().accept(new EngineEvent.Accepted(order, pid));
        }
        if (confirmed.compareAndSet(false, true)) {
            services.events()
                    .accept(new EngineEvent.Bound(
                            launch.jobId(),
                            launch.attempt(),
                            IntStream.of(launch.allocation().toArray())
                                    .mapToObj(services.hardware().topology()::gpuId)
                                    .toList()));
        }
    }

    @Override
    public void terminate(TerminationCause cause, long graceMillis) {
        termination.terminate(cause, graceMillis);
    }

    // Suspension

    AttemptSuspension suspension() {
        return suspension;
    }

    /** Its processes go on as another attempt. */
    void continueAs(Launch next, OrderId order, long resumedInMillis) {
        launch = next;
        accounting = services.attempts().open(next, folder.path(), this);
        accounting.adopt();
        accounting.resumedIn(resumedInMillis);
        confirmed.set(false);
        answer(order);
        accounting.started(services.executor().nowMillis());
    }

    /** An earlier daemon suspended its processes. */
    LocalAttempt markSuspended() {
        suspension.mark();
        accounting.close();
        return this;
    }

    /** Kills its suspended processes. */
    void discard() {
        discarded = true;
        if (endedMeanwhile != null) {
            release();
        }
        termination.terminate(TerminationCause.KILL, 0);
    }

    // Adoption

    /** Determines and reports the state of an attempt that an earlier daemon started; a failure is retried. */
    void adopt() throws InterruptedException {
        AttemptAdoption adoption = new AttemptAdoption(services, this, processes, launch.ranks());
        retryUntilDone(() -> {
            if (!isSuspended()) {
                accounting.adopt();
            }
            adoption.reconcile();
        });
    }

    void recordOrderTime(long millis) {
        accounting.requested(millis);
    }

    /** It still runs, since {@code startedMillis}. */
    void resumeWatching(long startedMillis) throws IOException, InterruptedException {
        termination.restore();
        if (isSuspended()) {
            termination.markRunning();
            commandRuns = true;
            suspension.moveMemory();
            return;
        }
        accounting.pollReports();
        markRunning(startedMillis);
    }

    /** The machine was rebooted: no process survived, and pids and start times have a new meaning. */
    void handleMachineRestart() {
        endHandled.set(true);
        Integer code = folder.exitCode();
        finish(finalizer.observe(
                new AttemptEnd.ExitRecord(code, false),
                accounting.requestedMillis(),
                new AttemptEnd.ExitRequest(folder.terminationRequest(), folder.wasKilled()),
                "",
                code == null ? "the machine was restarted while it ran" : ""));
    }

    // End

    /** The shim has exited. The rest of the attempt is killed now, or after the grace time if it got the signal to exit. */
    void handleShimExit(@Nullable Integer code, boolean watched) throws InterruptedException {
        termination.handleShimExit();
        if (endHandled.compareAndSet(false, true)) {
            retryUntilDone(() -> cleanUp(code, watched));
        }
    }

    private void cleanUp(@Nullable Integer code, boolean watched) throws InterruptedException {
        ProcessReaper.ReapResult result =
                processes.reaper().reap(services.settings().stuckTimeoutMillis());
        processes.reaper().drainLogs();
        if (folder.exitCode() == null) {
            result = result.plus(
                    processes.reaper().reapWithShim(services.settings().stuckTimeoutMillis()));
        }
        finalizer.declareStuckGpus(result);
        finish(finalizer.observe(
                new AttemptEnd.ExitRecord(code, watched),
                services.executor().nowMillis(),
                new AttemptEnd.ExitRequest(termination.request(), termination.wasKilled()),
                result.describe(),
                ""));
    }

    private void finish(AttemptEnd end) {
        if (isSuspended() && !discarded && Objects.equals(end.exit().code(), 0)) {
            endedMeanwhile = end; // it had done its work: the next attempt reports that
            suspension.release();
            return;
        }
        release();
        if (!isSuspended()) {
            accounting.left(end);
        } else if (!discarded) {
            services.events()
                    .accept(new EngineEvent.StateChanged(
                            new Event.SuspensionLost(launch.jobId(), "its processes ended while they were suspended"),
                            null));
        }
    }

    /** Reports the end of a program that ended well while it was suspended, as that of the attempt that was to resume it. */
    void reportEndMeanwhile() {
        AttemptEnd end = endedMeanwhile;
        if (end != null) {
            endedMeanwhile = null;
            release();
            accounting.left(end);
        }
    }

    private void release() {
        suspension.release();
        termination.cancelTimers();
        removeEnvironment();
        services.groups().release(processes.group());
        onReleased.accept(this);
    }

    /** Its secrets are needed no more. */
    private void removeEnvironment() {
        try {
            Files.deleteIfExists(folder.file("env"));
        } catch (IOException e) {
            LOG.warn("attempt {}: its environment stays in its folder: {}", this, e.toString());
        }
    }
}
