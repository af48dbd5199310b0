package dev.fermata.core.cycle;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.LongMap;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The only mutable state of the core: every live job and who holds what.
 *
 * <p><b>How it changes.</b> Only here, in two ways: {@link #learn} takes an event from outside, {@link #commit} takes an
 * action the guard let through. Both append facts (the history) and commands (for the engine) to the current step.
 * Nothing else writes; policies get a {@link Window} and a {@link Draft}, both of which leave no trace.
 *
 * <p><b>Life of a job.</b> PENDING → STARTING (GPUs held, loading) → RUNNING → PAUSING (asked to leave, GPUs still held)
 * → PENDING again in the same transaction in which it leaves. News about any attempt but the current one is dropped:
 * it is late.
 *
 * <p><b>Promises.</b> A preemption is one transaction: victims go PAUSING and the beneficiary, still PENDING, is promised
 * the GPUs. From then on nobody else can get them; the start is issued by {@link #keepPromises} in the very step in
 * which the last victim's departure is learned, without asking the policy again. If hardware under a promise dies the
 * promise is dropped and the job is simply pending.
 *
 * <p><b>Cost.</b> Every change costs its gang size plus a few index words; nothing here walks all jobs or all nodes.
 * Jobs that ended are forgotten at once (history is made of facts, kept by others), so a long run is as fast at its end
 * as at its beginning. {@link #changed} lists the jobs touched since the last decision: policies that keep queues of
 * their own read that and nothing else.
 */
final class Ledger {
    /** How often a job that ran out of GPU memory is put back before it is given up. */
    private static final int MAX_OUT_OF_MEMORY = 20;

    final Topology topology;
    final Capacity capacity;
    final Estimator estimator;
    final List<JobView> changed = new ArrayList<>();
    private final Feasibility feasibility;
    private final LongMap<JobRecord> jobs = new LongMap<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    private final List<JobRecord> ended = new ArrayList<>();
    private final JobRecord[] promisedTo;
    private final List<JobRecord> waitingForHosts = new ArrayList<>();
    private final List<JobRecord> maybeReady = new ArrayList<>();
    private int slots;
    int pending;
    int running;
    long capacityVersion;
    long nowMillis;
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

    // ---- news from outside ----

    void learn(Event event) {
        if (event instanceof Event.Submitted e) {
            submit(e.job());
        } else if (event instanceof Event.Running e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state == JobState.STARTING) {
                job.state = JobState.RUNNING;
                job.runningMillis = nowMillis;
                job.pace(nowMillis, e.paceMicro());
                facts.add(new Fact.Running(e.jobId(), e.attempt(), e.paceMicro()));
                touch(job);
            }
        } else if (event instanceof Event.PaceChanged e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state == JobState.RUNNING) {
                job.pace(nowMillis, e.paceMicro());
                touch(job);
            }
        } else if (event instanceof Event.Left e) {
            JobRecord job = current(e.jobId(), e.attempt());
            if (job != null && job.state.holdsGpus()) {
                left(job, e);
            }
        } else if (event instanceof Event.CancelAsked e) {
            JobRecord job = jobs.get(e.jobId());
            if (job != null) {
                cancel(job);
            }
        } else if (event instanceof Event.HoldAsked e) {
            hold(e.jobId(), true);
        } else if (event instanceof Event.ReleaseAsked e) {
            hold(e.jobId(), false);
        } else if (event instanceof Event.QueuesSet e) {
            queueRules = e.rules();
            capacityVersion++; // who may use what has changed
            facts.add(new Fact.QueuesSet(e.rules()));
        } else if (event instanceof Event.NodeDown e) {
            fault(true, e.node(), true);
        } else if (event instanceof Event.NodeUp e) {
            fault(true, e.node(), false);
        } else if (event instanceof Event.GpuDown e) {
            fault(false, e.gpu(), true);
        } else if (event instanceof Event.GpuUp e) {
            fault(false, e.gpu(), false);
        }
    }

    private @Nullable JobRecord current(long id, int attempt) {
        JobRecord job = jobs.get(id);
        return job != null && job.attempt == attempt ? job : null;
    }

    private void submit(Job job) {
        if (jobs.get(job.id()) != null) {
            throw new IllegalArgumentException("job id (" + job.id() + ") is in use by a live job");
        }
        long eligible = job.demand().eligibleTypes(topology);
        int offer = feasibility.largestOffer(job.demand(), eligible);
        if (offer < job.demand().minGpus()) {
            Verdict never =
                    Verdict.of(job.id(), Reason.UNSATISFIABLE, job.demand().minGpus(), offer);
            facts.add(new Fact.Refused(job, never));
            return;
        }
        int slot = freeSlots.isEmpty() ? slots++ : freeSlots.removeFirst();
        int[] preference = feasibility.typesByPreference(job, eligible);
        JobRecord submitted = new JobRecord(job, slot, nowMillis, eligible, preference);
        jobs.put(job.id(), submitted);
        pending++;
        facts.add(new Fact.Submitted(job));
        touch(submitted);
    }

    private void left(JobRecord job, Event.Left news) {
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
        job.pace(nowMillis, 0);
        job.attemptWorkMicro = 0;
        job.savedWorkMillis = news.usage().savedWorkMillis();
        running--;
        JobState next = nextState(job, news.outcome());
        facts.add(new Fact.Left(job.job.id(), news.attempt(), news.outcome(), news.usage(), next));
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

    private JobState nextState(JobRecord job, Outcome outcome) {
        if (job.cancelling && outcome != Outcome.COMPLETED) {
            return JobState.CANCELLED;
        }
        return switch (outcome) {
            case COMPLETED -> JobState.COMPLETED;
            case FAILED -> JobState.FAILED;
            case CANCELLED -> JobState.CANCELLED;
            case TIMEOUT -> JobState.TIMEOUT;
            case PAUSED, LOST -> JobState.PENDING;
            case OOM -> {
                job.ticketMillis = nowMillis; // back of the line: it must not block the head with the same crash
                yield ++job.outOfMemory > MAX_OUT_OF_MEMORY ? JobState.OOM : JobState.PENDING;
            }
        };
    }

    private void cancel(JobRecord job) {
        if (job.state == JobState.PENDING) {
            pending--;
            facts.add(new Fact.Ended(job.job.id(), JobState.CANCELLED));
            end(job, JobState.CANCELLED);
        } else if (!job.cancelling) {
            job.cancelling = true;
            commands.add(new Command.Kill(job.job.id(), job.attempt));
            facts.add(new Fact.Cancelling(job.job.id(), job.attempt));
            leave(job);
            capacityVersion++;
        }
    }

    private void hold(long id, boolean hold) {
        JobRecord job = jobs.get(id);
        if (job != null && job.onHold != hold) {
            job.onHold = hold;
            facts.add(hold ? new Fact.Held(id) : new Fact.Released(id));
            if (hold) {
                breakPromise(job); // who is asked not to start it means now, not after those who make room have left
            }
            touch(job);
        }
    }

    private void end(JobRecord job, JobState state) {
        breakPromise(job);
        job.state = state;
        jobs.remove(job.job.id());
        ended.add(job);
        touch(job);
    }

    private void fault(boolean isNode, int index, boolean down) {
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

    private void promise(JobRecord job, Allocation allocation) {
        capacity.promise(allocation, job.job.demand(), 1);
        job.promise = allocation;
        for (int i = 0; i < allocation.size(); i++) {
            promisedTo[allocation.gpu(i)] = job;
        }
        facts.add(new Fact.Promised(job.job.id(), allocation));
        maybeReady.add(job);
        if (!capacity.hostsHaveRoom(allocation)) {
            waitingForHosts.add(job);
        }
    }

    private void breakPromise(JobRecord job) {
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
                Allocation kept = forgetPromise(job);
                capacity.redeem(kept, job.job.demand());
                started(job, kept);
            } else if (job.promise != null && !capacity.hostsHaveRoom(job.promise) && !waitingForHosts.contains(job)) {
                waitingForHosts.add(job); // its GPUs are empty, but somebody else's CPU or RAM is still in the way
            }
        }
    }

    // ---- decisions ----

    void commit(Action action) {
        if (action instanceof Action.Start start) {
            JobRecord job = live(start.jobId());
            capacity.hold(start.allocation(), job.job.demand(), 1);
            started(job, start.allocation());
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
            cancel(live(action.jobId()));
        }
    }

    private JobRecord live(long id) {
        return Objects.requireNonNull(jobs.get(id));
    }

    private void started(JobRecord job, Allocation allocation) {
        boolean resumed = job.resumed();
        job.state = JobState.STARTING;
        job.attempt++;
        job.held = allocation;
        job.startedMillis = nowMillis;
        pending--;
        running++;
        facts.add(new Fact.Started(job.job.id(), job.attempt, allocation, resumed));
        commands.add(new Command.Start(job.job.id(), job.attempt, allocation, resumed));
        touch(job);
    }

    /** From now on the job is on its way out: no progress, no victim, its GPUs soon free. */
    private void leave(JobRecord job) {
        if (job.state != JobState.PAUSING) {
            job.stopProgress(nowMillis);
            job.pace(nowMillis, 0);
            job.state = JobState.PAUSING;
            capacity.leave(Objects.requireNonNull(job.held), job.job.demand(), 1);
            touch(job);
        }
    }

    private void pause(JobRecord job, long beneficiary, long gain, long cost) {
        leave(job);
        job.preemptions++;
        facts.add(new Fact.Pausing(job.job.id(), job.attempt, beneficiary, gain, cost));
        commands.add(new Command.Pause(job.job.id(), job.attempt, job.job.graceMillis()));
        touch(job);
    }

    void touch(JobRecord job) {
        if (!job.changed) {
            job.changed = true;
            changed.add(job);
        }
    }
}
