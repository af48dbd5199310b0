package dev.fermata.core.cycle;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The only mutable state of the core: every live job and who holds what.
 *
 * <p><b>How it changes.</b> Only here, for three reasons: {@link Intake} takes in an event from outside, {@link #commit} an action
 * that the guard let through, {@link Rebuild} a fact of long ago. Every change appends its fact (the history) and its commands
 * (for the engine) to the current step. Nothing else writes; policies get a {@link Window} and a {@link Draft}, both of which
 * leave no trace.
 *
 * <p><b>Life of a job.</b> PENDING → STARTING (GPUs held, loading) → RUNNING → PAUSING (asked to leave, GPUs still held)
 * → PENDING again in the same transaction in which it leaves.
 *
 * <p><b>Promises.</b> A preemption is one transaction: victims go PAUSING and the beneficiary, still PENDING, is promised
 * the GPUs. From then on nobody else can get them; the start is issued by {@link #keepPromises} in the very step in
 * which the last victim's departure is learned, without asking the policy again. If hardware under a promise dies the
 * promise is dropped and the job is simply pending; if others come free first, it starts there ({@link Sooner}).
 *
 * <p><b>Cost.</b> Every change costs its gang size plus a few index words; nothing here walks all jobs or all nodes.
 * Jobs that ended are forgotten at once (history is made of facts, kept by others), so a long run is as fast at its end
 * as at its beginning. {@link #changed} lists the jobs touched since the last decision: policies that keep queues of
 * their own read that and nothing else.
 */
final class Ledger {
    /** About pauses that were declined there is at most a line for each job and this time. */
    private static final long REFRAINED_AGAIN_MILLIS = 60_000;

    final Topology topology;
    final Capacity capacity;
    final Estimator estimator;
    final List<JobView> changed = new ArrayList<>();
    final Feasibility feasibility;
    private final LongMap<JobRecord> jobs = new LongMap<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final List<JobRecord> ended = new ArrayList<>();
    private final JobRecord[] promisedTo;
    /** Jobs for which GPUs are kept. */
    final Set<JobRecord> promised = new LinkedHashSet<>();
    /** Jobs on GPUs that were asked to leave. */
    final Set<JobRecord> leaving = new LinkedHashSet<>();

    private final List<JobRecord> waitingForHosts = new ArrayList<>();
    private final List<JobRecord> maybeReady = new ArrayList<>();
    private int slots;
    int pending;
    int running;
    long capacityVersion;
    long nowMillis;
    /** When the last fact happened. */
    long factMillis;

    List<QueueRule> queueRules = List.of();
    List<Fact> facts = new ArrayList<>();
    List<Command> commands = new ArrayList<>();

    Ledger(Topology topology, Estimator estimator) {
        this.topology = topology;
        this.estimator = estimator;
        this.capacity = new Capacity(topology);
        this.feasibility = new Feasibility(topology);
        this.promisedTo = new JobRecord[topology.gpuCount()];
    }

    /** Opens a step: time moves on, facts and commands are collected anew. */
    void open(long now) {
        if (now < nowMillis) {
            throw new IllegalArgumentException("time went back from " + nowMillis + " to " + now);
        }
        nowMillis = now;
        facts = new ArrayList<>();
        commands = new ArrayList<>();
    }

    /** Closes a step that left facts behind. */
    void close() {
        factMillis = facts.isEmpty() ? factMillis : nowMillis;
    }

    /** Lets the estimator hear of what changed before anybody decides on what it says. */
    void tellEstimator() {
        for (int i = 0; i < changed.size(); i++) {
            estimator.noted(changed.get(i), nowMillis);
        }
    }

    /** Closes the list of changes after the policy has seen it, and lets go of jobs that ended. */
    void seen() {
        for (int i = 0; i < changed.size(); i++) {
            ((JobRecord) changed.get(i)).changed = false;
        }
        changed.clear();
        for (JobRecord gone : ended) {
            freeSlots.addLast(gone.slot);
        }
        ended.clear();
    }

    /** Nothing of what just changed is news to anybody. */
    void forgetNews() {
        seen();
        maybeReady.clear();
        factMillis = nowMillis;
    }

    /** Nobody has seen this job yet, and nobody has looked whether what it was promised is free. */
    void show(JobRecord job) {
        touch(job);
        maybeReady.add(job);
    }

    @Nullable
    JobRecord find(long id) {
        return jobs.get(id);
    }

    List<JobRecord> all() {
        List<JobRecord> all = new ArrayList<>(jobs.size());
        jobs.forEach(all::add);
        return all;
    }

    /** Every live job, by id. */
    List<JobView> live() {
        List<JobView> live = new ArrayList<>(all());
        live.sort(Comparator.comparingLong(JobView::id));
        return live;
    }

    // ---- what happens to jobs ----

    /** The job is pending from now on. */
    JobRecord admit(Job job, long submittedMillis) {
        int slot = freeSlots.isEmpty() ? slots++ : freeSlots.removeFirst();
        long eligible = job.demand().eligibleTypes(topology);
        int[] preference = feasibility.typesByPreference(job, eligible);
        JobRecord submitted = new JobRecord(job, slot, submittedMillis, eligible, preference);
        jobs.put(job.id(), submitted);
        pending++;
        facts.add(new Fact.Submitted(job));
        touch(submitted);
        return submitted;
    }

    /** The job is described anew; its id is what it was, and so is its demand but for the GPU memory. */
    void describe(JobRecord job, Job anew) {
        job.job = anew;
        job.eligibleTypes = anew.demand().eligibleTypes(topology);
        job.typesByPreference = feasibility.typesByPreference(anew, job.eligibleTypes);
        facts.add(new Fact.Changed(anew));
        capacityVersion++; // it may be more deserving than it was, or may be asked to leave
        touch(job);
    }

    void running(JobRecord job, long paceMicro) {
        job.state = JobState.RUNNING;
        job.runningMillis = nowMillis;
        job.pace(nowMillis, paceMicro);
        facts.add(new Fact.Running(job.job.id(), job.attempt, paceMicro));
        touch(job);
    }

    void paced(JobRecord job, long paceMicro) {
        job.pace(nowMillis, paceMicro);
        facts.add(new Fact.Paced(job.job.id(), job.attempt, paceMicro));
        touch(job);
    }

    void left(JobRecord job, Outcome outcome, Usage usage, JobState next) {
        Allocation held = Objects.requireNonNull(job.held);
        job.stopProgress(nowMillis);
        int openings = capacity.openings();
        if (job.state == JobState.PAUSING) {
            capacity.depart(held, job.job.demand());
        } else {
            capacity.hold(held, job.job.demand(), -1);
        }
        noteOpenings(openings, job, held);
        job.held = null;
        leaving.remove(job);
        // Also what it was only thought to have done: whoever looked older as long as it ran must not look young again.
        long thought = job.thoughtDoneMillis(usage.loadMillis() + usage.ranMillis());
        long shown = usage.savedWorkMillis() + job.workIn(usage.lostMillis(), nowMillis);
        job.mostWorkMillis = Math.max(job.mostWorkMillis, Math.max(thought, shown));
        job.pace(nowMillis, 0);
        job.attemptWorkMicro = 0;
        job.savedWorkMillis = usage.savedWorkMillis();
        running--;
        if (outcome == Outcome.OOM) {
            job.outOfMemory++;
            job.ticketMillis = nowMillis; // back of the line: it must not block the head with the same crash
        }
        facts.add(new Fact.Left(job.job.id(), job.attempt, outcome, usage, next));
        if (next == JobState.PENDING) {
            job.state = next;
            job.queuedMillis = nowMillis;
            pending++;
            touch(job);
        } else {
            end(job, next);
        }
        for (int i = 0; i < held.size(); i++) {
            JobRecord waiter = promisedTo[held.gpu(i)];
            if (waiter != null) {
                maybeReady.add(waiter);
            }
        }
        if (job.promise != null) {
            maybeReady.add(job);
        }
        maybeReady.addAll(waitingForHosts);
    }

    /** Capacity appeared if more GPUs are open than before, or if room was made beside them: CPU, RAM or shared memory. */
    private void noteOpenings(int before, JobRecord left, Allocation held) {
        boolean host = left.job.demand().needsHost();
        if (capacity.openings() > before || host || held.shared()) {
            capacityVersion++;
        }
    }

    void endInQueue(JobRecord job, JobState state) {
        pending--;
        facts.add(new Fact.Ended(job.job.id(), state));
        end(job, state);
    }

    void cancelling(JobRecord job) {
        job.cancelling = true;
        commands.add(new Command.Kill(job.job.id(), job.attempt));
        facts.add(new Fact.Cancelling(job.job.id(), job.attempt));
        leave(job);
        capacityVersion++;
    }

    void setOnHold(JobRecord job, boolean onHold) {
        job.onHold = onHold;
        facts.add(onHold ? new Fact.Held(job.job.id()) : new Fact.Released(job.job.id()));
        if (onHold) {
            breakPromise(job); // who asks that it is not started means now, not after those who make room have left
        }
        touch(job);
    }

    void setQueues(List<QueueRule> rules) {
        queueRules = rules;
        capacityVersion++; // who may use what has changed
        facts.add(new Fact.QueuesSet(rules));
    }

    private void end(JobRecord job, JobState state) {
        breakPromise(job);
        job.state = state;
        jobs.remove(job.job.id());
        ended.add(job);
        touch(job);
    }

    void fault(boolean isNode, int index, boolean down) {
        int first = isNode ? topology.node(index).firstGpu() : index;
        int end = isNode ? first + topology.node(index).gpus() : index + 1;
        if (isNode) {
            capacity.nodeFault(index, down);
        } else {
            capacity.gpuFault(index, down);
        }
        capacityVersion++;
        facts.add(new Fact.Capacity(isNode, index, !down, capacity.gpusUp()));
        for (int gpu = first; down && gpu < end; gpu++) {
            JobRecord waiter = promisedTo[gpu];
            if (waiter != null) {
                breakPromise(waiter);
                touch(waiter);
            }
        }
    }

    // ---- promises ----

    void promise(JobRecord job, Allocation allocation) {
        capacity.promise(allocation, job.job.demand(), 1);
        job.promise = allocation;
        promised.add(job);
        for (int i = 0; i < allocation.size(); i++) {
            promisedTo[allocation.gpu(i)] = job;
        }
        facts.add(new Fact.Promised(job.job.id(), allocation));
        maybeReady.add(job);
        if (!capacity.hostsHaveRoom(allocation)) {
            waitingForHosts.add(job);
        }
    }

    void breakPromise(JobRecord job) {
        if (job.promise != null) {
            capacity.promise(forgetPromise(job), job.job.demand(), -1);
            maybeReady.addAll(waitingForHosts); // what it would have taken beside its GPUs is there for others
            capacityVersion++;
            facts.add(new Fact.Unpromised(job.job.id()));
        }
    }

    private Allocation forgetPromise(JobRecord job) {
        Allocation promise = Objects.requireNonNull(job.promise);
        for (int i = 0; i < promise.size(); i++) {
            promisedTo[promise.gpu(i)] = null;
        }
        job.promise = null;
        promised.remove(job);
        waitingForHosts.remove(job);
        return promise;
    }

    /** Starts every promised job whose GPUs are vacated. */
    void keepPromises() {
        if (maybeReady.isEmpty()) {
            return;
        }
        List<JobRecord> candidates = new ArrayList<>(maybeReady);
        maybeReady.clear();
        for (JobRecord job : candidates) {
            if (job.promise != null && job.state == JobState.PENDING && capacity.vacated(job.promise)) {
                start(job, job.promise);
            } else if (job.promise != null && !capacity.hostsHaveRoom(job.promise) && !waitingForHosts.contains(job)) {
                waitingForHosts.add(job); // its GPUs are empty, but somebody else's CPU or RAM is still in the way
            }
        }
    }

    // ---- decisions ----

    void commit(Action action) {
        if (action instanceof Action.Start start) {
            start(live(start.jobId()), start.allocation());
        } else if (action instanceof Action.Preempt preempt) {
            int openings = capacity.openings();
            for (long victim : preempt.victims()) {
                pause(live(victim), preempt.jobId(), preempt.gainMillis(), preempt.costMillis());
            }
            JobRecord job = live(preempt.jobId());
            promise(job, preempt.allocation());
            touch(job);
            capacityVersion += capacity.openings() > openings ? 1 : 0; // the victims leave more than was needed
        } else if (action instanceof Action.Move move) {
            JobRecord job = live(move.jobId());
            pause(job, move.jobId(), 0, 0);
            promise(job, move.allocation());
            capacityVersion++;
        } else if (action instanceof Action.Cancel) {
            endInQueue(live(action.jobId()), JobState.CANCELLED);
        }
    }

    private JobRecord live(long id) {
        return Objects.requireNonNull(jobs.get(id));
    }

    /** The next attempt, on GPUs that are free or were promised to it. */
    void start(JobRecord job, Allocation allocation) {
        boolean resumed = job.resumed();
        occupy(job, allocation);
        job.attempt++;
        job.startedMillis = nowMillis;
        facts.add(new Fact.Started(job.job.id(), job.attempt, allocation, resumed));
        commands.add(new Command.Start(job.job.id(), job.attempt, allocation, resumed));
        touch(job);
    }

    /** From now on the job has an attempt on these GPUs. */
    void occupy(JobRecord job, Allocation allocation) {
        if (job.promise == null) {
            capacity.hold(allocation, job.job.demand(), 1);
        } else {
            capacity.redeem(forgetPromise(job), job.job.demand());
        }
        job.state = JobState.STARTING;
        job.held = allocation;
        job.refrained = null;
        pending--;
        running++;
    }

    /** The policy could have paused others for a job that goes on waiting, and weighed it: written down where it says something new. */
    void refrain(Verdict verdict) {
        JobRecord job = jobs.get(verdict.jobId());
        if (job == null || job.state != JobState.PENDING || job.promise != null) {
            return; // room was made for it after all
        }
        Fact.Refrained now =
                new Fact.Refrained(job.job.id(), (int) verdict.ahead(), verdict.available(), verdict.needed());
        Fact.Refrained before = job.refrained;
        if (before == null
                || (nowMillis - job.refrainedMillis >= REFRAINED_AGAIN_MILLIS && now.weighsOtherwiseThan(before))) {
            refrained(job, now);
        }
    }

    void refrained(JobRecord job, Fact.Refrained fact) {
        job.refrained = fact;
        job.refrainedMillis = nowMillis;
        facts.add(fact);
    }

    /** From now on the job is on its way out: no progress, no victim, its GPUs soon free. */
    void leave(JobRecord job) {
        if (job.state != JobState.PAUSING) {
            job.stopProgress(nowMillis);
            job.pace(nowMillis, 0);
            job.state = JobState.PAUSING;
            capacity.leave(Objects.requireNonNull(job.held), job.job.demand(), 1);
            leaving.add(job);
            touch(job);
        }
    }

    void pause(JobRecord job, long beneficiary, long gain, long cost) {
        leave(job);
        job.preemptions++;
        facts.add(new Fact.Pausing(job.job.id(), job.attempt, beneficiary, gain, cost));
        commands.add(new Command.Pause(job.job.id(), job.attempt, job.job.graceMillis()));
        touch(job);
    }

    /** It has shown what it was let run for; that counts against nobody's budget of pauses. */
    void profiled(JobRecord job) {
        leave(job);
        facts.add(new Fact.Profiled(job.job.id(), job.attempt));
        commands.add(new Command.Pause(job.job.id(), job.attempt, job.job.graceMillis()));
        capacityVersion++; // its GPUs are soon free
    }

    void touch(JobRecord job) {
        if (!job.changed) {
            job.changed = true;
            changed.add(job);
        }
    }
}
