package dev.fermata.live.attempt;

import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.live.engine.EngineEvent;
import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.AttemptMeasurements;
import dev.fermata.live.progress.OutputProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounting of one attempt, for every engine. What the engine observes and what the script reports go in; usage, outcome,
 * measurements and the decisions to end it come out. Never touches a process. Called from any thread.
 */
public final class AttemptAccounting {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptAccounting.class);
    private static final long LIMIT_GRACE_MILLIS = 30_000;
    /** How often the reports of a loading script are polled: at first, and later. */
    private static final long MIN_POLL_MILLIS = 20;

    private static final long MAX_POLL_MILLIS = 250;
    /** A script may load this many times longer than others did, and this much longer, before it counts as running. */
    private static final long LOAD_TIMEOUT_FACTOR = 2;

    private static final long LOAD_TIMEOUT_EXTRA_MILLIS = 5_000;
    private static final long MAX_LOAD_TIMEOUT_EXTRA_MILLIS = 600_000;

    private final AttemptRegistry registry;
    private final AttemptClock clock;
    private final Launch launch;
    private final AttemptControl control;
    private final long speedMicro;
    private final ReportReader reports;
    private final TimeLimit timeLimit;
    private final OutputTail outputTail;
    private final OutputReader output;
    private final SaveAbility saveAbility;
    private final ProfileReporter profileReporter;
    private final GpuUsage gpuUsage = new GpuUsage();

    private volatile long requestedMillis;
    /** When its command began to run; never, until it does. */
    private volatile long startedMillis = Long.MAX_VALUE;
    /** Whether it was reported as running. */
    private volatile boolean runningReported;

    private volatile boolean ended;
    private volatile long resumeMillis = AttemptMeasurements.UNKNOWN;

    AttemptAccounting(AttemptRegistry registry, Launch launch, Path reportFolder, AttemptControl control) {
        this.registry = registry;
        this.clock = registry.clock();
        this.launch = launch;
        this.control = control;
        this.speedMicro = AssumedSpeed.speedMicro(launch, registry.cluster());
        this.reports = new ReportReader(reportFolder, this::exitRequestedMillis);
        this.timeLimit = new TimeLimit(
                clock,
                launch,
                () -> terminate(
                        TerminationCause.TIME_LIMIT,
                        Math.min(LIMIT_GRACE_MILLIS, launch.spec().preempt().graceMillis())));
        this.outputTail = new OutputTail(registry.logs(), launch);
        this.output = new OutputReader(registry.logs(), launch);
        this.saveAbility = new SaveAbility(() -> reports.milestones().helloMillis() >= 0, control::handlesSignal);
        this.profileReporter = new ProfileReporter(registry.samplesGpus());
        this.requestedMillis = clock.nowMillis();
    }

    public Launch launch() {
        return launch;
    }

    /** Its use of its GPUs; the engine records what it measures. */
    public GpuUsage gpuUsage() {
        return gpuUsage;
    }

    @Override
    public String toString() {
        return launch.jobId() + "." + launch.attempt();
    }

    private long exitRequestedMillis() {
        TerminationRequest request = control.terminationRequest();
        return request == null ? Long.MAX_VALUE : request.requestedMillis();
    }

    /** Whether it has ended or has a request to exit. */
    boolean mustExit() {
        return ended || control.terminationRequest() != null;
    }

    void terminate(TerminationCause cause, long graceMillis) {
        control.terminate(cause, graceMillis);
    }

    /** Whether it has trained for this long, as far as reported: it had loaded, and has no request to exit. */
    public boolean hasTrainedFor(long forMillis) {
        AttemptEnding.ReportedMilestones reported = reports.milestones();
        boolean usesHelper = reported.helloMillis() >= 0;
        boolean loaded = reported.loadedMillis() >= 0 && clock.nowMillis() - reported.loadedMillis() > forMillis;
        return (!usesHelper || loaded) && !reported.finished() && !mustExit();
    }

    // What the engine observes

    /** It began with the resumption of suspended processes, which took so long. */
    public void resumedIn(long millis) {
        resumeMillis = millis;
    }

    /** When its start was requested; the earliest time counts. */
    public void requested(long millis) {
        requestedMillis = Math.min(millis, requestedMillis);
    }

    public long requestedMillis() {
        return requestedMillis;
    }

    /** An earlier daemon started it: what that one knew of its reports is read. */
    public void adopt() {
        reports.restore();
    }

    /** Its command runs since then. */
    public void started(long millis) {
        startedMillis = millis;
        awaitLoaded();
    }

    /**
     * It counts as running when its script reports that it has loaded, if such scripts do; otherwise as soon as its command is
     * started. A report that is long overdue is no longer waited for.
     */
    private void awaitLoaded() {
        long maxLoad = launch.maxLoadMillis();
        long since = clock.nowMillis() - startedMillis;
        long timeout = Math.min(
                LOAD_TIMEOUT_FACTOR * maxLoad + LOAD_TIMEOUT_EXTRA_MILLIS, maxLoad + MAX_LOAD_TIMEOUT_EXTRA_MILLIS);
        if (maxLoad == 0 || since > timeout) {
            reportRunning(maxLoad == 0 ? startedMillis : clock.nowMillis());
        } else if (!runningReported && !ended) {
            long pollDelay = Math.max(MIN_POLL_MILLIS, Math.min(MAX_POLL_MILLIS, since / 8));
            Runnable unused = clock.schedule(pollDelay, () -> {
                pollReports();
                awaitLoaded();
            });
        }
    }

    /** Changes its time limit. */
    public void setTimeLimit(long millis) {
        timeLimit.change(millis);
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
            if (!ended) {
                timeLimit.start(sinceMillis);
            }
            registry.emit(new EngineEvent.StateChanged(
                    new Event.Running(launch.jobId(), launch.attempt(), speedMicro), null));
        }
    }

    /** Reports its progress since the last poll; one thread at a time, so that reports keep their order. */
    public synchronized void pollReports() {
        try {
            long now = clock.nowMillis();
            List<EngineEvent.JobReport> news = reports.poll(now);
            checkLoaded();
            for (EngineEvent.JobReport report : news) {
                recordGpuUsage(report);
                registry.emit(new EngineEvent.ProgressReported(launch.jobId(), launch.attempt(), report, now));
            }
        } catch (IOException e) {
            LOG.debug("attempt {}: cannot read its reports", this, e);
        }
    }

    /** Reports what is seen from outside: the progress that its output shows, and whether it can save. */
    synchronized void observe() {
        if (runningReported && !ended) {
            reportOutput(output.poll(clock.nowMillis()));
        }
        if (runningReported && !mustExit() && saveAbility.look(clock.nowMillis())) {
            registry.emit(new EngineEvent.SaveAbilityShown(launch.jobId(), launch.attempt()));
        }
    }

    private void reportOutput(@Nullable OutputProgress progress) {
        if (progress == null || reports.phases().hasSteps()) {
            return;
        }
        long now = clock.nowMillis();
        EngineEvent.JobReport report = new EngineEvent.JobReport(
                now,
                "step",
                progress.current(),
                progress.usableTotal(),
                new EngineEvent.ReportedMetric(progress.metricName(), progress.metric()),
                new EngineEvent.ReportedFigures(0, 0, -1, progress.unitMicros(), 0, 0));
        EngineEvent.ProgressOrigin origin = new EngineEvent.ProgressOrigin(
                "output", progress.unit(), progress.confidence().name().toLowerCase(Locale.ROOT), progress.total());
        registry.emit(new EngineEvent.ProgressReported(launch.jobId(), launch.attempt(), report, origin, now));
    }

    /** Steps and their time as the output shows them, where the script reports none. */
    private AttemptMeasurements withOutput(AttemptMeasurements measured, Outcome outcome) {
        OutputProgress progress = output.latest();
        if (reports.phases().hasSteps() || !progress.confidence().isUsable()) {
            return measured;
        }
        boolean kept = outcome == Outcome.COMPLETED || outcome == Outcome.PREEMPTED;
        return measured.withUse(new AttemptMeasurements.ResourceUse(
                        progress.unitMicros() > 0 ? progress.unitMicros() : AttemptMeasurements.UNKNOWN,
                        AttemptMeasurements.UNKNOWN,
                        AttemptMeasurements.UNKNOWN))
                .withSteps(new AttemptMeasurements.Steps(
                        progress.current(),
                        kept ? progress.current() : AttemptMeasurements.UNKNOWN,
                        progress.usableTotal()));
    }

    boolean hasEnded() {
        return ended;
    }

    /** The variables by which its processes report by HTTP. They hold a secret: never in logs, histories or answers. */
    public Map<String, String> reportVariables() {
        return registry.reportVariables(toString());
    }

    /** Keeps reports that came by HTTP, and reads them at once. False when it has ended. */
    boolean receive(String lines) {
        if (ended) {
            return false;
        }
        try {
            reports.receive(lines);
        } catch (IOException e) {
            throw new UncheckedIOException("attempt " + this + ": cannot keep its reports", e);
        }
        pollReports();
        return true;
    }

    private void recordGpuUsage(EngineEvent.JobReport report) {
        if (report.memoryMib() > 0) {
            gpuUsage.recordReportedPeak(report.memoryMib());
        }
        if (report.busyPermille() > 0) {
            gpuUsage.recordBusy(report.busyPermille());
        }
    }

    /** Reports its measurements, once there is enough evidence for its profile. */
    void reportMeasurements() {
        if (!runningReported || mustExit()) {
            return;
        }
        AttemptMeasurements measured = profileReporter.nextMeasurements(
                reports.phases(), gpuUsage, requestedMillis, startedMillis, clock.nowMillis());
        if (measured != null) {
            registry.emit(new EngineEvent.MeasurementsReported(launch.jobId(), launch.attempt(), measured));
        }
    }

    // Its end

    /** It never began, and its order was refused: nothing is reported. */
    public void discard() {
        ended = true;
        timeLimit.cancel();
        registry.forget(this);
    }

    /** Nothing of it is left: reports how it ended. When that throws, it may be called again. */
    public void left(AttemptEnd end) {
        ended = true;
        timeLimit.cancel();
        if (end.began()) {
            pollReports();
            reportOutput(output.readRest(clock.nowMillis()));
        }
        output.close();
        if (startedMillis != Long.MAX_VALUE) {
            reportRunning(startedMillis); // it may end before its load was seen
        }
        registry.emit(endEvent(end));
        registry.forget(this);
    }

    /**
     * Its processes are suspended, as was requested then: nothing of its work is lost.
     *
     * @param whole whether their memory has left the GPUs already
     */
    public void suspended(long sinceMillis, boolean whole) {
        ended = true;
        timeLimit.cancel();
        pollReports();
        reportRunning(startedMillis);
        long loaded = launch.process() != launch.attempt()
                ? startedMillis
                : Math.max(requestedMillis, reports.milestones().loadedMillis());
        Usage usage = AttemptEnding.usageOfSuspended(
                new AttemptEnding.SuspendedTimes(requestedMillis, loaded, sinceMillis, clock.nowMillis()),
                launch.savedWorkMillis(),
                speedMicro);
        registry.emit(new EngineEvent.StateChanged(
                new Event.AttemptEnded(launch.jobId(), launch.attempt(), Outcome.SUSPENDED, usage),
                new EngineEvent.AttemptExit(
                        null, 0, whole ? "suspended in place" : "suspended in place, its memory still on its GPUs"),
                AttemptMeasurements.NONE
                        .withGpu(gpuUsage.busyPermille(), gpuUsage.peakMib())
                        .withSuspensions(new AttemptMeasurements.Suspensions(
                                whole ? usage.preemptMillis() : AttemptMeasurements.UNKNOWN, resumeMillis, 1))));
        registry.forget(this);
    }

    /** It could not be suspended and goes on. */
    public void suspendFailed(String cause, boolean lasting) {
        if (lasting) {
            AttemptMeasurements.Suspensions refused =
                    new AttemptMeasurements.Suspensions(AttemptMeasurements.UNKNOWN, AttemptMeasurements.UNKNOWN, 0);
            registry.emit(new EngineEvent.MeasurementsReported(
                    launch.jobId(), launch.attempt(), AttemptMeasurements.NONE.withSuspensions(refused)));
        }
        registry.emit(new EngineEvent.StateChanged(
                new Event.SuspendFailed(launch.jobId(), launch.attempt(), speedMicro, cause, lasting), null));
    }

    /** Its processes are suspended already: nothing of it is reported. */
    public void close() {
        ended = true;
        timeLimit.cancel();
        registry.forget(this);
    }

    private EngineEvent.StateChanged endEvent(AttemptEnd end) {
        FailureDiagnosis diagnosis = new FailureDiagnosis(outputTail, launch.ranks());
        AttemptEnding ending = diagnose(end, diagnosis);
        String detail = end.cause().isEmpty()
                ? ExitMessage.of(ending, launch, timeLimit.millis(), end, diagnosis.lastErrorLine())
                : end.cause();
        long commandEndMillis = end.began() ? end.commandEndMillis() : requestedMillis;
        Usage usage = ending.usage(
                requestedMillis,
                commandEndMillis,
                end.leftMillis(),
                new AttemptEnding.EarlierWork(
                        launch.savedWorkMillis(), launch.prior().onDiskMillis(), launch.resumesProcesses()),
                launch.spec().checkpoint().intervalMillis(),
                speedMicro);
        int signal = ending.signal();
        return new EngineEvent.StateChanged(
                new Event.AttemptEnded(launch.jobId(), launch.attempt(), ending.outcome(), usage),
                new EngineEvent.AttemptExit(
                        signal > 0 ? null : ending.code(),
                        signal,
                        detail,
                        ending.outOf(),
                        ending.watched() || ending.code() == null ? -1 : commandEndMillis),
                measurements(ending, usage).withGpu(gpuUsage.busyPermille(), gpuUsage.peakMib()));
    }

    /** The end, with the cause of a failure if its last output or the kernel shows it. */
    private AttemptEnding diagnose(AttemptEnd end, FailureDiagnosis diagnosis) {
        AttemptEnding ending = new AttemptEnding(
                end.request().request(),
                end.request().killed(),
                end.exit().code(),
                end.exit().watched(),
                end.began() ? reports.milestones() : AttemptEnding.ReportedMilestones.NONE);
        boolean failed = end.began() && ending.outcome() == Outcome.FAILED;
        ExhaustedResource cause =
                failed ? diagnosis.exhaustedResource(ending.signal(), end.memoryKills()) : ExhaustedResource.NONE;
        return ending.withExhaustedResource(cause);
    }

    private AttemptMeasurements measurements(AttemptEnding ending, Usage usage) {
        TerminationRequest request = ending.terminationRequest();
        Outcome outcome = ending.outcome();
        boolean signalled = ending.code() != null || ending.killed() || (request != null && request.signalHandled());
        boolean paused = request != null
                && signalled
                && request.cause() == TerminationCause.PREEMPTION
                && (outcome == Outcome.PREEMPTED || outcome == Outcome.LOST);
        AttemptMeasurements measured = reports.phases()
                .toMeasurements(
                        requestedMillis,
                        usage.loadMillis(),
                        request == null ? -1 : request.requestedMillis(),
                        paused ? usage.preemptMillis() : -1,
                        outcome == Outcome.PREEMPTED);
        return withOutput(measured, outcome).withSaveAbility(saveAbility.isShown());
    }
}
