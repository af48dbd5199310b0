package dev.fermata.engine.local;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.core.contract.Event;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One attempt of a job, from its start order or its {@link AttemptAdoption}, through its {@link Termination}, to its {@link
 * AttemptFinalizer}. Slow work runs on the engine's threads, so a stuck attempt blocks no other.
 */
final class LocalAttempt {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAttempt.class);
    private static final long LIMIT_GRACE_MILLIS = 30_000;
    /** A start that failed for lack of disk or memory is reported after a delay, so that it is not retried in a tight loop. */
    private static final long START_BACKOFF_MILLIS = 2_000;
    /** How often the reports of a loading script are polled: at first, and later. */
    private static final long MIN_POLL_MILLIS = 20;

    private static final long MAX_POLL_MILLIS = 250;
    /** A script may load this many times longer than others did, and this much longer, before it counts as running. */
    private static final long LOAD_TIMEOUT_FACTOR = 2;

    private static final long LOAD_TIMEOUT_EXTRA_MILLIS = 5_000;
    private static final long MAX_LOAD_TIMEOUT_EXTRA_MILLIS = 600_000;

    private final EngineServices services;
    private final Launch launch;
    private final AttemptProcesses processes;
    private final AttemptFolder folder;
    private final ReportReader reports;
    private final Consumer<LocalAttempt> onReleased;
    private final long speedMicro;
    private final AtomicBoolean endHandled = new AtomicBoolean();
    private final Termination termination;
    private final TimeLimit timeLimit;
    private final AttemptFinalizer finalizer;
    private final GpuUsage gpuUsage = new GpuUsage();

    private volatile long orderedMillis = System.currentTimeMillis();
    private volatile boolean shimStarted;
    /** When its command began to run; never, until it does. */
    private volatile long startedMillis = Long.MAX_VALUE;
    /** Whether it was reported as running. */
    private volatile boolean runningReported;

    private final ProfileReporter profileReporter;

    LocalAttempt(EngineServices services, Launch launch, Consumer<LocalAttempt> released) {
        this.services = services;
        this.launch = launch;
        this.onReleased = released;
        this.processes = new AttemptProcesses(services, launch);
        this.folder = processes.folder();
        this.speedMicro = AssumedSpeed.speedMicro(launch, services.hardware().topology());
        this.termination = new Termination(services, launch, processes, endHandled);
        this.reports = new ReportReader(folder.path(), termination::requestedMillis);
        this.timeLimit = new TimeLimit(
                services.executor(),
                launch,
                () -> termination.terminate(AttemptFolder.TerminationCause.TIME_LIMIT, LIMIT_GRACE_MILLIS));
        this.finalizer = new AttemptFinalizer(services, launch, processes, speedMicro);
        this.profileReporter = new ProfileReporter(services.hardware().real());
    }

    Launch launch() {
        return launch;
    }

    /** Its use of its GPUs. */
    GpuUsage gpuUsage() {
        return gpuUsage;
    }

    /** The marker of its processes. */
    String marker() {
        return services.markers().of(launch.jobId(), launch.attempt());
    }

    /** Whether it has trained since it was last polled, as far as reported: it had loaded, and has no request to exit. */
    boolean hasWorkedFor(long forMillis) {
        AttemptEnding.ReportedMilestones reported = reports.milestones();
        boolean usesHelper = reported.helloMillis() >= 0;
        boolean loaded =
                reported.loadedMillis() >= 0 && System.currentTimeMillis() - reported.loadedMillis() > forMillis;
        return (!usesHelper || loaded) && !reported.finished() && termination.request() == null && !isEnded();
    }

    long jobId() {
        return launch.jobId();
    }

    int number() {
        return launch.attempt();
    }

    @Override
    public String toString() {
        return launch.jobId() + "." + launch.attempt();
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
            spawn.prepare(processes.group(), orderedMillis);
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
        markRunning(System.currentTimeMillis());
        return true;
    }

    /** The exit record of the shim, or the shim's own exit code where a job has removed the record. */
    private @Nullable Integer exitCodeOf(Process shim) {
        return Files.exists(folder.file("exit")) ? folder.exitCode() : Integer.valueOf(shim.exitValue());
    }

    /** The attempt never began; the cause may be transient. */
    private void handleStartFailure(String cause) {
        LOG.warn("attempt {}: start failed: {}", this, cause);
        String detail = "could not be started: " + SingleLine.of(cause, 200);
        services.executor()
                .schedule(
                        START_BACKOFF_MILLIS,
                        () -> retryUntilDone(() -> {
                            if (shimStarted) {
                                killPartialStart();
                            }
                            endUnstarted(false, detail);
                        }));
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
            retryUntilDone(() -> finish(
                    new AttemptEnding(
                            termination.request(), false, null, failed, AttemptEnding.ReportedMilestones.NONE),
                    orderedMillis,
                    cause));
        }
    }

    /** Its command runs since {@code startedMillis}. */
    private void markRunning(long startedMillis) {
        termination.markRunning();
        this.startedMillis = startedMillis;
        awaitLoaded();
    }

    /**
     * It counts as running when its script reports that it has loaded, if such scripts do; otherwise as soon as its process is
     * up. A report that is long overdue is no longer waited for.
     */
    private void awaitLoaded() {
        long maxLoad = launch.maxLoadMillis();
        long since = System.currentTimeMillis() - startedMillis;
        long timeout = Math.min(
                LOAD_TIMEOUT_FACTOR * maxLoad + LOAD_TIMEOUT_EXTRA_MILLIS, maxLoad + MAX_LOAD_TIMEOUT_EXTRA_MILLIS);
        if (maxLoad == 0 || since > timeout) {
            reportRunning(maxLoad == 0 ? startedMillis : System.currentTimeMillis());
        } else if (!runningReported && !isEnded()) {
            long pollDelay = Math.max(MIN_POLL_MILLIS, Math.min(MAX_POLL_MILLIS, since / 8));
            services.executor().schedule(pollDelay, () -> {
                pollReports();
                awaitLoaded();
            });
        }
    }

    /** Its script reports that it has loaded. */
    private void checkLoaded() {
        long loadedMillis = reports.milestones().loadedMillis();
        if (loadedMillis >= 0 && startedMillis != Long.MAX_VALUE) {
            reportRunning(Math.max(startedMillis, loadedMillis));
        }
    }

    /** It runs since then, and its time limit counts from then. */
    private synchronized void reportRunning(long sinceMillis) {
        if (!runningReported) {
            runningReported = true;
            if (!isEnded()) {
                timeLimit.start(sinceMillis);
            }
            emit(new EngineEvent.StateChanged(new Event.Running(launch.jobId(), launch.attempt(), speedMicro), null));
        }
    }

    /** Changes its time limit. */
    void setTimeLimit(long millis) {
        timeLimit.change(millis);
    }

    /** Requests its exit: a signal now, a kill after the grace time. */
    void terminate(AttemptFolder.TerminationCause cause, long graceMillis) {
        termination.terminate(cause, graceMillis);
    }

    // Adoption

    /** Determines and reports the state of an attempt that an earlier daemon started; a failure is retried. */
    void adopt() throws InterruptedException {
        AttemptAdoption adoption = new AttemptAdoption(services, this, processes, launch.ranks());
        retryUntilDone(() -> {
            reports.restore();
            adoption.reconcile();
        });
    }

    void recordOrderTime(long millis) {
        orderedMillis = Math.min(millis, orderedMillis);
    }

    /** It still runs, since {@code startedMillis}. */
    void resumeWatching(long startedMillis) {
        termination.restore();
        pollReports();
        markRunning(startedMillis);
    }

    /** The machine was rebooted: no process survived, and pids and start times have a new meaning. */
    void handleMachineRestart() {
        endHandled.set(true);
        Integer code = folder.exitCode();
        AttemptEnding ending = finalizer.diagnose(
                new AttemptEnding(folder.terminationRequest(), folder.wasKilled(), code, false, reports.milestones()));
        if (code == null) {
            finish(ending, orderedMillis, "the machine was restarted while it ran");
        } else {
            finish(ending, folder.exitMillis(), finalizer.describe(ending, timeLimit.millis(), ""));
        }
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
        pollReports();
        AttemptEnding ending = finalizer.diagnose(
                new AttemptEnding(termination.request(), termination.wasKilled(), code, watched, reports.milestones()));
        finalizer.declareStuckGpus(result);
        finish(
                ending,
                code == null ? System.currentTimeMillis() : folder.exitMillis(),
                finalizer.describe(ending, timeLimit.millis(), result.describe()));
    }

    private void finish(AttemptEnding ending, long runEndMillis, String detail) {
        if (startedMillis != Long.MAX_VALUE) {
            reportRunning(startedMillis); // it may end before its load was seen
        }
        EngineEvent.StateChanged event =
                finalizer.endEvent(ending, orderedMillis, runEndMillis, reports.phases(), gpuUsage, detail);
        timeLimit.cancel();
        termination.cancelTimers();
        services.groups().release(processes.group());
        onReleased.accept(this);
        emit(event);
    }

    /** Reports its progress since the last poll; one thread at a time, so that reports keep their order. */
    synchronized void pollReports() {
        try {
            long now = System.currentTimeMillis();
            List<EngineEvent.JobReport> event = reports.poll(now);
            checkLoaded();
            for (EngineEvent.JobReport report : event) {
                recordGpuUsage(report);
                emit(new EngineEvent.ProgressReported(launch.jobId(), launch.attempt(), report, now));
            }
        } catch (IOException e) {
            LOG.debug("attempt {}: cannot read its reports", this, e);
        }
    }

    /** Reports its measurements, once there is enough evidence for its profile. */
    void reportMeasurements() {
        if (!runningReported || isEnded() || termination.request() != null) {
            return;
        }
        AttemptMeasurements shown = profileReporter.nextMeasurements(
                reports.phases(), gpuUsage, orderedMillis, startedMillis, System.currentTimeMillis());
        if (shown != null) {
            emit(new EngineEvent.MeasurementsReported(launch.jobId(), launch.attempt(), shown));
        }
    }

    private void recordGpuUsage(EngineEvent.JobReport report) {
        if (report.memoryMib() > 0) {
            gpuUsage.recordReportedPeak(report.memoryMib());
        }
        if (report.busyPermille() > 0) {
            gpuUsage.recordBusy(report.busyPermille());
        }
    }

    private void emit(EngineEvent event) {
        services.events().accept(event);
    }
}
