package dev.fermata.sim.engine;

import dev.fermata.core.contract.Engine;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Order;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PreemptWay;
import dev.fermata.core.contract.SchedulerSnapshot;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Checkpointing;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.AttemptOverhead;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The cluster in virtual time. Its attempts load, run at the speed of the true model, save and leave when preempted,
 * fail with their hardware or when memory is over-committed, and are stopped at their time limit. It answers only by
 * events.
 */
public final class SimulatedEngine implements Engine {
    /** A due time: the next step of an attempt, or of the faults. */
    private record AttemptTimer(@Nullable SimulatedAttempt run, int generation) {}

    private final Topology topology;
    private final Faults faults;
    private final TimerQueue<AttemptTimer> timers = new TimerQueue<>();
    private final JobExecutions executions = new JobExecutions();
    private final TrueModel model;
    private final CoLocatedAttempts coLocated;
    private final LinkContention links;
    private List<Event> pendingEvents = new ArrayList<>();
    private int liveAttempts;

    /** A cluster that is as policies predict. */
    public SimulatedEngine(Topology topology, Faults faults) {
        this(topology, faults, TrueModel.asPredicted(topology));
    }

    public SimulatedEngine(Topology topology, Faults faults, TrueModel model) {
        this.topology = topology;
        this.faults = faults;
        this.model = model;
        this.coLocated = new CoLocatedAttempts(topology, model);
        this.links = new LinkContention(topology, model.error().network());
        setFaultTimer();
    }

    /** Adds a job of the workload. */
    public void addJob(SimulatedJob job) {
        executions.put(new JobExecution(model.trueJob(job)));
    }

    /**
     * Continues a live job from a snapshot: its saved work, and its attempt, in any phase, if it is on GPUs. The job's
     * true duration includes the work it has done.
     */
    public void resumeJob(SimulatedJob predicted, SchedulerSnapshot.JobSnapshot jobSnapshot, long now) {
        SimulatedJob job = model.trueJob(predicted);
        JobExecution execution = new JobExecution(job);
        executions.put(execution);
        execution.remainingMicro = Math.max(1, (job.durationMillis() - jobSnapshot.savedWorkMillis()) * Speed.UNIT);
        boolean ran =
                jobSnapshot.state() != JobState.STARTING && jobSnapshot.runningMillis() >= jobSnapshot.startedMillis();
        long requestedMillis = jobSnapshot.speedSinceMillis(); // of a preempted one: since then it makes no progress
        boolean preempting = jobSnapshot.state() == JobState.PREEMPTING;
        execution.ranMillis =
                jobSnapshot.attainedMillis() - (preempting && ran ? requestedMillis - jobSnapshot.runningMillis() : 0);
        SchedulerSnapshot.SuspendState suspend = jobSnapshot.suspend();
        execution.remainingOnDiskMicro = execution.remainingMicro + suspend.unsavedMillis() * Speed.UNIT;
        execution.suspendedOn = suspend.gpus() == null ? null : suspend.gpus().toAllocation(topology);
        SchedulerSnapshot.Gpus held = jobSnapshot.held();
        if (held == null) {
            return;
        }
        SimulatedAttempt run = new SimulatedAttempt(
                job,
                jobSnapshot.attempt(),
                held.toAllocation(topology),
                jobSnapshot.startedMillis(),
                execution.remainingMicro,
                execution.ranMillis);
        run.remainingOnDisk(execution.remainingOnDiskMicro);
        boolean resumes = execution.suspendedOn != null;
        execution.suspendedOn = null;
        place(execution, run);
        if (jobSnapshot.state() == JobState.STARTING && resumes) {
            setTimer(
                    run,
                    Math.max(
                            now,
                            jobSnapshot.startedMillis()
                                    + job.job().costs().suspend().inMillis()));
            return;
        }
        if (jobSnapshot.state() == JobState.STARTING) {
            boolean resumed = jobSnapshot.savedWorkMillis() > 0;
            setTimer(
                    run,
                    Math.max(
                            now,
                            jobSnapshot.startedMillis()
                                    + job.costs(jobSnapshot.attempt()).loadMillis(resumed)));
            return;
        }
        long done = jobSnapshot.attemptWorkMicro() + (now - jobSnapshot.speedSinceMillis()) * jobSnapshot.speedMicro();
        Speed speed = jobSnapshot.speedMicro() > 0 ? new Speed(jobSnapshot.speedMicro(), 0) : Speed.REFERENCE;
        if (preempting) {
            run.continueRunning(ran ? jobSnapshot.runningMillis() : requestedMillis, requestedMillis, speed, done);
            preemptWithin(
                    run,
                    requestedMillis,
                    jobSnapshot.job().graceMillis(),
                    ran ? neededMillis(job.costs(jobSnapshot.attempt())) : 0,
                    now);
            if (suspend.suspending()) {
                suspendWithin(run, requestedMillis, now);
            }
        } else {
            links.begin(run);
            run.continueRunning(jobSnapshot.runningMillis(), now, speed, done);
            setTimer(run, Math.max(now, run.nextMillis()));
        }
    }

    /** Removes a job that has ended for good. */
    public void removeJob(long jobId) {
        executions.remove(jobId);
    }

    /** True remaining work, for the oracle. */
    public long remainingMillis(long jobId, long now) {
        JobExecution execution = executions.get(jobId);
        if (execution == null) {
            return 1;
        }
        long left = execution.run != null ? execution.run.remainingMicro(now) : execution.remainingMicro;
        return (left + Speed.UNIT - 1) / Speed.UNIT;
    }

    /** The true work of a live job, for estimators that add noise to it. */
    public long durationMillis(long jobId) {
        JobExecution execution = executions.get(jobId);
        return execution == null ? 1 : execution.job.durationMillis();
    }

    /**
     * Wall-clock milliseconds until a running attempt has done its work, as a script that counts its steps reports it.
     * -1 before the attempt has run for {@code afterMillis}, and for any other attempt.
     */
    public long countedRemainingMillis(long jobId, int attempt, long now, long afterMillis) {
        JobExecution execution = executions.get(jobId);
        SimulatedAttempt run = execution == null ? null : execution.run;
        return run != null && run.attemptNumber == attempt && run.ranMillis(now) >= afterMillis
                ? run.remainingWallMillis(now)
                : -1;
    }

    /** When a job on GPUs has loaded, or will have. */
    public long loadedMillis(long jobId) {
        JobExecution execution = executions.get(jobId);
        return execution == null || execution.run == null ? Long.MAX_VALUE : execution.run.loadedMillis;
    }

    /** When the next event is due. */
    public long nextMillis() {
        if (!pendingEvents.isEmpty()) {
            return 0; // at once: an order that takes no time was answered
        }
        while (!timers.isEmpty() && isStale(timers.peek())) {
            timers.poll();
        }
        return timers.nextTime();
    }

    private static boolean isStale(AttemptTimer timer) {
        return timer.run() != null && timer.generation() != timer.run().generation;
    }

    /** Executes everything due up to now and returns the events; the caller may keep the list. */
    public List<Event> advance(long now) {
        while (timers.nextTime() <= now) {
            AttemptTimer timer = timers.poll();
            SimulatedAttempt run = timer.run();
            if (run == null) {
                applyFaults(now);
            } else if (!isStale(timer)) {
                advanceAttempt(run, now);
            }
        }
        timers.advanceTo(now);
        return takeEvents();
    }

    private List<Event> takeEvents() {
        List<Event> taken = pendingEvents;
        pendingEvents = new ArrayList<>();
        return taken;
    }

    @Override
    public List<Event> reconcile() {
        return takeEvents();
    }

    @Override
    public void submit(long now, Order order) {
        switch (order.type()) {
            case START -> start((Order.Start) order, now);
            case PREEMPT -> {
                SimulatedAttempt run = liveAttempt(order);
                if (run != null) {
                    preempt(run, (Order.Preempt) order, now);
                }
            }
            case KILL -> {
                SimulatedAttempt run = liveAttempt(order);
                if (run != null) {
                    run.advance(now);
                    endAttempt(run, Outcome.CANCELLED, false, now);
                } else if (executions.get(order.jobId()) != null) {
                    Objects.requireNonNull(executions.get(order.jobId())).discardProcesses();
                }
            }
        }
    }

    /** The attempt that an order names; null when it ended before the order came. */
    private @Nullable SimulatedAttempt liveAttempt(Order order) {
        JobExecution execution = executions.get(order.jobId());
        SimulatedAttempt run = execution == null ? null : execution.run;
        return run == null || run.attemptNumber != order.attempt() ? null : run;
    }

    private void start(Order.Start start, long now) {
        JobExecution execution = executions.get(start.jobId());
        if (execution == null || execution.run != null) {
            throw new IllegalStateException("cannot start job " + start.jobId() + ": unknown here or already on GPUs");
        }
        boolean resumes = execution.suspendedOn != null && start.process() != start.attempt();
        if (!resumes) {
            execution.discardProcesses();
        }
        SimulatedAttempt run = new SimulatedAttempt(
                execution.job, start.attempt(), start.allocation(), now, execution.remainingMicro, execution.ranMillis);
        run.remainingOnDisk(execution.remainingOnDiskMicro);
        execution.suspendedOn = null;
        place(execution, run);
        if (resumes) {
            run.loadedMillis = now + execution.job.job().costs().suspend().inMillis();
            run.reportMillis = run.loadedMillis;
            setTimer(run, run.loadedMillis);
            return;
        }
        AttemptOverhead overhead = execution.job.overhead(start.attempt());
        run.loadedMillis = now + overhead.costs().loadMillis(start.resumed());
        run.reportMillis = now + overhead.reportedRunningMillis(start.resumed());
        setTimer(run, Math.min(run.reportMillis, run.loadedMillis));
    }

    private void place(JobExecution execution, SimulatedAttempt run) {
        execution.run = run;
        liveAttempts++;
        coLocated.add(run);
    }

    private void setTimer(SimulatedAttempt run, long at) {
        timers.add(at, new AttemptTimer(run, ++run.generation));
        if (timers.size() > 4 * liveAttempts + 64) {
            timers.removeIf(SimulatedEngine::isStale); // ends of attempts that were preempted long before
        }
    }

    /** Takes the next step of an attempt, which depends on its phase. */
    private void advanceAttempt(SimulatedAttempt run, long now) {
        switch (run.phase) {
            case LOADING -> {
                if (now < run.loadedMillis) {
                    reportRunningWhileLoading(run, now);
                } else {
                    finishLoading(run, now);
                }
            }
            case HIDDEN_LOADING -> finishLoading(run, now);
            case RUNNING -> {
                run.advance(now);
                if (!run.reportedRunning) {
                    reportRunning(run, run.speed().micro());
                }
                if (run.isOver(now)) {
                    Outcome outcome = run.isDone() ? run.job.outcome() : Outcome.TIMEOUT;
                    endAttempt(run, outcome, outcome == Outcome.COMPLETED, now);
                } else {
                    setTimer(run, run.nextMillis());
                }
            }
            case PREEMPTING -> {
                Outcome outcome = run.willSave ? Outcome.PREEMPTED : Outcome.LOST;
                endAttempt(run, run.suspends ? Outcome.SUSPENDED : outcome, run.suspends || run.willSave, now);
            }
            case ENDED -> {}
        }
    }

    /** From now on it counts as running; the rest of its loading is hidden. */
    private void reportRunningWhileLoading(SimulatedAttempt run, long now) {
        run.phase = SimulatedAttempt.AttemptPhase.HIDDEN_LOADING;
        reportRunning(run, speedOf(run).micro());
        setTimer(run, Math.max(now, run.loadedMillis));
    }

    private void reportRunning(SimulatedAttempt run, long speedMicro) {
        run.reportedRunning = true;
        run.reportedSpeedMicro = speedMicro;
        pendingEvents.add(new Event.Running(run.job.job().id(), run.attemptNumber, speedMicro));
    }

    private void finishLoading(SimulatedAttempt run, long now) {
        if (coLocated.exceedsMemory(run)) {
            endAttempt(run, Outcome.OOM, true, now);
            return;
        }
        links.begin(run);
        run.begin(now, speedOf(run));
        long speed = run.speed().micro();
        if (!run.reportedRunning && now >= run.reportMillis) {
            reportRunning(run, speed);
        } else if (run.reportedRunning && speed != run.reportedSpeedMicro) {
            pendingEvents.add(new Event.SpeedChanged(run.job.job().id(), run.attemptNumber, speed));
        }
        setTimer(run, run.nextMillis());
        updateNeighbourSpeeds(run, now);
    }

    private Speed speedOf(SimulatedAttempt run) {
        Speed alone = model.speedAlone(run.job.job(), run.allocation, links.seenBy(run));
        return run.allocation.shared() ? alone.slowedBy(coLocated.slowdown(run)) : alone;
    }

    /** Attempts that share a GPU or a link with one that begins or stops running change their speed. */
    private void updateNeighbourSpeeds(SimulatedAttempt run, long now) {
        if (!run.allocation.shared() && !links.mayUse(run)) {
            return;
        }
        Map<Long, SimulatedAttempt> neighbours = new TreeMap<>();
        coLocated.addNeighbours(run, neighbours);
        links.addNeighbours(run, neighbours);
        for (SimulatedAttempt other : neighbours.values()) {
            if (other.speed(now, speedOf(other))) {
                if (other.reportedRunning) {
                    pendingEvents.add(new Event.SpeedChanged(
                            other.job.job().id(),
                            other.attemptNumber,
                            other.speed().micro()));
                }
                setTimer(other, other.nextMillis());
            }
        }
    }

    private void preempt(SimulatedAttempt run, Order.Preempt order, long now) {
        long grace = order.graceMillis();
        if (run.phase == SimulatedAttempt.AttemptPhase.PREEMPTING) {
            return;
        }
        boolean notReported = run.phase == SimulatedAttempt.AttemptPhase.LOADING;
        boolean loading = run.isLoading();
        run.advance(now);
        AttemptOverhead overhead = run.job.overhead(run.attemptNumber);
        long neededMillis = notReported ? 0 : neededMillis(overhead.costs());
        if (!loading
                && (run.isDone()
                        || (overhead.finishesInsteadOfSaving()
                                && run.remainingWallMillis(now) <= Math.min(neededMillis, grace)))) {
            return; // it ends by itself in this millisecond, or before it would have saved
        }
        if (order.way() == PreemptWay.SUSPEND) {
            run.preempt(now);
            suspendWithin(run, now, now);
        } else {
            preemptWithin(run, now, grace, neededMillis, now);
        }
        links.end(run);
        updateNeighbourSpeeds(run, now);
    }

    /** How long an attempt takes to save; for ever when it never does. */
    private static long neededMillis(Costs costs) {
        return costs.checkpointing() == Checkpointing.NONE ? Long.MAX_VALUE : costs.preemptMillis();
    }

    /** It is preempted at that time and saves if the grace period is long enough. */
    private void preemptWithin(SimulatedAttempt run, long requestedMillis, long grace, long neededMillis, long now) {
        run.preempt(requestedMillis);
        run.willSave = neededMillis <= grace;
        setTimer(run, Math.max(now, requestedMillis + Math.min(neededMillis, grace)));
    }

    /** It is being suspended since then. */
    private void suspendWithin(SimulatedAttempt run, long requestedMillis, long now) {
        run.suspends = true;
        long outMillis = run.job.job().costs().suspend().outMillis();
        setTimer(run, Math.max(now, requestedMillis + outMillis));
    }

    private void endAttempt(SimulatedAttempt run, Outcome outcome, boolean saved, long now) {
        Usage usage = run.usage(now, saved);
        long id = run.job.job().id();
        JobExecution execution = Objects.requireNonNull(executions.get(id));
        execution.run = null;
        liveAttempts--;
        coLocated.remove(run);
        links.end(run);
        boolean ran = run.phase == SimulatedAttempt.AttemptPhase.RUNNING;
        run.phase = SimulatedAttempt.AttemptPhase.ENDED;
        run.generation++; // nothing is due for it any more
        execution.recordEnd(run, outcome, saved);
        execution.ranMillis += usage.runMillis();
        pendingEvents.add(new Event.AttemptEnded(id, run.attemptNumber, outcome, usage));
        if (ran) {
            updateNeighbourSpeeds(run, now);
        }
    }

    private void applyFaults(long now) {
        if (faults.nextMillis() > now) {
            return; // another timer was for the same
        }
        for (Event event : faults.advance(now, executions::gpusInUse)) {
            pendingEvents.add(event);
            if (event instanceof Event.NodeDown down) {
                loseNode(now, down.node());
            } else if (event instanceof Event.NodeRemoved removed) {
                loseNode(now, removed.node());
            } else if (event instanceof Event.GpuDown down) {
                failAttempts(now, gpu -> gpu == down.gpu());
            }
        }
        setFaultTimer();
    }

    private void setFaultTimer() {
        if (faults.nextMillis() != Long.MAX_VALUE) {
            timers.add(faults.nextMillis(), new AttemptTimer(null, 0));
        }
    }

    /** The scheduler has given this number to a node that the faults sent. */
    public void nodeAdded(long now, int slot) {
        faults.nodeAdded(now, slot);
        setFaultTimer();
    }

    /** A node is gone or down: attempts on it are lost, and the suspended processes on it too. */
    public void loseNode(long now, int node) {
        failAttempts(now, gpu -> topology.nodeOf(gpu) == node);
        for (JobExecution execution : executions.suspendedOn(node)) {
            execution.discardProcesses();
            pendingEvents.add(new Event.SuspensionLost(execution.job.job().id(), "its node went down"));
        }
    }

    private void failAttempts(long now, IntPredicate failed) {
        for (SimulatedAttempt run : executions.attemptsOn(failed)) {
            run.advance(now);
            boolean finished = run.phase == SimulatedAttempt.AttemptPhase.RUNNING && run.isDone();
            Outcome outcome = finished ? run.job.outcome() : Outcome.LOST;
            endAttempt(run, outcome, outcome == Outcome.COMPLETED, now);
        }
    }
}
