package dev.fermata.sim.laws;

import dev.fermata.core.contract.Command;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keeps books of its own from events, facts and commands alone, the slow and obvious way, and says which law is broken. It
 * never asks the ledger what is true; it only compares at the end of a turn.
 */
final class LawWitness implements Ring.Witness {
    private enum Stage {
        PENDING,
        LOADING,
        RUNNING,
        PAUSING,
        OVER
    }

    private static final class Notes {
        Job job;
        Stage stage = Stage.PENDING;
        int attempt;
        long runningMillis;
        boolean onHold;
        int preemptions;
        boolean cancelled;
        Allocation held;
        Allocation promise;

        Notes(Job job) {
            this.job = job;
        }
    }

    private record Pause(long victim, Allocation held) {}

    private final World world;
    private final Topology topology;
    private final String policy;
    private final Habits habits;
    private final Map<Long, Notes> jobs = new TreeMap<>();
    private final Map<Long, List<Pause>> pausedFor = new HashMap<>();
    private final Faulty faulty;
    private final int[] onGpu;
    private final int[] leavingGpu;
    private final Map<Integer, Long> promisedTo = new HashMap<>();
    private final PromiseWitness promises;
    private final Set<String> preemptionsNow = new HashSet<>();
    /** What was asked of jobs in this turn. */
    private final List<Job> wishes = new ArrayList<>();

    private long lastTurn = -1;
    private boolean guarantees;
    private boolean queues;

    LawWitness(World world, String policy) {
        this.world = world;
        this.topology = world.topology();
        this.policy = policy;
        this.habits = Habits.of(policy);
        this.promises = new PromiseWitness(world, policy);
        this.faulty = new Faulty(topology);
        this.onGpu = new int[topology.gpuCount()];
        this.leavingGpu = new int[topology.gpuCount()];
    }

    @Override
    public void turn(long now, List<Event> news, Decision decision, Scheduler scheduler) {
        if (now != lastTurn) {
            preemptionsNow.clear();
            lastTurn = now;
        }
        wishes.clear();
        news.forEach(this::hear);
        pausedFor.clear();
        decision.facts().forEach(this::take);
        commandsMatchFacts(decision);
        compare(now, scheduler);
        everyPendingJobHasAVerdict(now, scheduler);
        promisesAreKeptAtOnce(now);
        promises.turn(now, news, decision, scheduler);
        nobodyWaitsBesideFreeGpus(now, news, decision, scheduler);
    }

    void end() {
        for (Notes job : jobs.values()) {
            that(job.stage == Stage.OVER, "nothing is lost", job.job.name() + " ended as " + job.stage);
        }
        that(promisedTo.isEmpty(), "no eviction without a start", "open promises " + promisedTo);
        for (var job : world.workload().jobs()) {
            that(jobs.containsKey(job.job().id()), "nothing is lost", job.job().name() + " was never seen");
        }
    }

    private void hear(Event event) {
        faulty.hear(event);
        if (event instanceof Event.CancelAsked e && jobs.get(e.jobId()) != null) {
            jobs.get(e.jobId()).cancelled = true;
        } else if (event instanceof Event.Changed e) {
            wishes.add(e.job());
        }
    }

    private void take(Fact fact) {
        if (fact instanceof Fact.Submitted f) {
            that(
                    world.feasible(f.job()),
                    "nothing impossible is let in",
                    f.job().name());
            jobs.put(f.jobId(), new Notes(f.job()));
        } else if (fact instanceof Fact.Refused f) {
            that(!world.feasible(f.job()), "only the impossible is refused", f.toString());
            that(f.verdict().reason() == Reason.UNSATISFIABLE, "a refusal says why", f.toString());
            Notes notes = new Notes(f.job());
            notes.stage = Stage.OVER;
            jobs.put(f.jobId(), notes);
        } else if (fact instanceof Fact.Started f) {
            started(f);
        } else if (fact instanceof Fact.Running f) {
            Notes job = current(f.jobId(), f.attempt());
            that(job.stage == Stage.LOADING, "one attempt, one life", f.toString());
            job.stage = Stage.RUNNING;
            job.runningMillis = lastTurn;
        } else if (fact instanceof Fact.Paced f) {
            that(current(f.jobId(), f.attempt()).stage == Stage.RUNNING, "only who runs has a pace", f.toString());
        } else if (fact instanceof Fact.Changed f) {
            Notes job = jobs.get(f.jobId());
            boolean free = job.stage == Stage.PENDING && job.promise == null && world.feasible(f.job());
            int memory = (free ? job.job : f.job()).demand().gpuMemoryMib();
            Demand now = f.job().demand().withGpuMemory(memory); // which may become known while it waits
            that(now.equals(job.job.demand()), "what a job asks for stays", f.toString());
            job.job = f.job();
        } else if (fact instanceof Fact.Held f) {
            that(!jobs.get(f.jobId()).onHold, "who is on hold is not held again", f.toString());
            jobs.get(f.jobId()).onHold = true;
        } else if (fact instanceof Fact.QueuesSet f) {
            queues = !f.rules().isEmpty();
            guarantees = f.rules().stream().anyMatch(rule -> rule.guaranteeGpus() > 0);
        } else if (fact instanceof Fact.Released f) {
            that(jobs.get(f.jobId()).onHold, "only who is on hold is released", f.toString());
            jobs.get(f.jobId()).onHold = false;
        } else if (fact instanceof Fact.Pausing f) {
            pausing(f);
        } else if (fact instanceof Fact.Profiled f) {
            Notes job = current(f.jobId(), f.attempt());
            that(job.stage == Stage.RUNNING, "only who runs has shown what it needs", f + " is " + job.stage);
            leaves(job);
        } else if (fact instanceof Fact.Cancelling f) {
            Notes job = current(f.jobId(), f.attempt());
            that(job.cancelled, "only who is cancelled is asked to leave for good", f.toString());
            leaves(job);
        } else if (fact instanceof Fact.Promised f) {
            promised(f);
        } else if (fact instanceof Fact.Unpromised f) {
            Notes job = jobs.get(f.jobId());
            for (int gpu : job.promise.toArray()) {
                promisedTo.remove(gpu);
            }
            job.promise = null;
        } else if (fact instanceof Fact.Left f) {
            left(f);
        } else if (fact instanceof Fact.Ended f) {
            Notes job = jobs.get(f.jobId());
            boolean why = job.cancelled || !job.job.after().isEmpty();
            that(job.stage == Stage.PENDING && why, "only cancelled jobs end in the queue", f.toString());
            job.stage = Stage.OVER;
        } else if (fact instanceof Fact.Rejected f) {
            boolean late = f.action().equals("Changed")
                    && wishes.stream().anyMatch(w -> w.id() == f.jobId() && mayBeRefused(w));
            that(late, "the guard rejects nothing but late wishes", f.toString());
        }
    }

    private boolean mayBeRefused(Job wish) {
        Notes job = jobs.get(wish.id());
        boolean waits = job != null && job.stage == Stage.PENDING && job.promise == null;
        return job != null && job.stage != Stage.OVER && world.mayRefuse(job.job, wish, waits);
    }

    private void started(Fact.Started f) {
        Notes job = jobs.get(f.jobId());
        Allocation allocation = f.allocation();
        Demand demand = job.job.demand();
        that(job.stage == Stage.PENDING && f.attempt() == job.attempt + 1, "at most one live attempt", f.toString());
        that(!job.onHold, "who is on hold is not started", f.toString());
        that(
                allocation.size() >= demand.minGpus() && allocation.size() <= demand.maxGpus(),
                "gang: all or none",
                f.toString());
        if (job.promise != null) {
            that(allocation.equals(job.promise), "a beneficiary starts on what was promised", f.toString());
            for (int gpu : allocation.toArray()) {
                promisedTo.remove(gpu);
            }
            job.promise = null;
        }
        int first = topology.typeOf(allocation.gpu(0));
        for (int gpu : allocation.toArray()) {
            int type = topology.typeOf(gpu);
            that((demand.eligibleTypes(topology) >> type & 1) != 0, "only on types it may run on", f.toString());
            that(type == first || habits.splitsWork(), "a gang gets GPUs of one type", f.toString());
            that(!faulty.is(gpu), "nobody starts on a dead GPU", f.toString());
            that(!promisedTo.containsKey(gpu), "promised GPUs go to nobody else", f + " " + promisedTo);
        }
        job.stage = Stage.LOADING;
        job.attempt = f.attempt();
        job.held = allocation;
        count(onGpu, allocation, 1);
        for (int gpu : allocation.toArray()) {
            capacityOf(gpu, f);
        }
        for (int k = 0; k < allocation.nodeCount(); k++) {
            hostOf(topology.node(allocation.node(k)), f);
        }
    }

    /** Recounts one GPU from all jobs, those still leaving it included. */
    private void capacityOf(int gpu, Fact.Started f) {
        int holders = 0;
        int exclusive = 0;
        long memory = 0;
        long milli = 0;
        for (Notes other : jobs.values()) {
            if (other.held != null && other.held.contains(gpu)) {
                holders++;
                exclusive += other.held.shared() ? 0 : 1;
                memory += other.job.demand().memoryOn(topology.types().get(topology.typeOf(gpu)));
                milli += other.job.demand().gpuMilli() < 1000
                        ? other.job.demand().gpuMilli()
                        : 0;
                that(other.stage != Stage.PAUSING, "a GPU being vacated is given to nobody", f.toString());
            }
        }
        that(holders == 1 || exclusive == 0, "no GPU is given twice", f + " on gpu " + gpu);
        that(milli <= 1000, "no share of compute is given twice", f.toString());
        int most = topology.types().get(topology.typeOf(gpu)).memoryMib();
        that(holders == 1 || memory <= most, "no GPU memory is given twice", f + ": " + memory + " of " + most);
    }

    private void hostOf(Node node, Fact.Started f) {
        long cpu = 0;
        long memory = 0;
        for (Notes other : jobs.values()) {
            if (other.held != null) {
                int gpus = other.held.gpusOnNode(node.index());
                cpu += gpus * other.job.demand().cpuMilliPerGpu();
                memory += gpus * other.job.demand().memoryMibPerGpu();
            }
        }
        that(cpu <= node.cpuMilli() && memory <= node.memoryMib(), "no CPU or RAM is given twice", f.toString());
    }

    private void pausing(Fact.Pausing f) {
        Notes job = current(f.jobId(), f.attempt());
        that(job.stage == Stage.RUNNING, "nobody is paused while loading", f + " is " + job.stage);
        job.preemptions++;
        that(job.preemptions <= job.job.maxPreemptions(), "nobody is paused beyond his budget", f.toString());
        long ran = lastTurn - job.runningMillis;
        that(ran >= job.job.minRuntimeMillis(), "nobody is paused before he settled", f + " after " + ran);
        boolean owed = guarantees && f.gainMillis() == 0 && f.costMillis() == 0;
        that(
                !habits.weighs() || owed || f.gainMillis() > f.costMillis(),
                "nobody is paused unless it pays, or another is guaranteed his place",
                f.toString());
        if (f.beneficiary() != f.jobId()) {
            that(
                    !preemptionsNow.contains(f.jobId() + ">" + f.beneficiary()),
                    "no job preempts right back",
                    f.toString());
            preemptionsNow.add(f.beneficiary() + ">" + f.jobId());
        }
        pausedFor.computeIfAbsent(f.beneficiary(), b -> new ArrayList<>()).add(new Pause(f.jobId(), job.held));
        leaves(job);
    }

    private void leaves(Notes job) {
        count(leavingGpu, job.held, job.stage == Stage.PAUSING ? 0 : 1);
        job.stage = Stage.PAUSING;
    }

    private void promised(Fact.Promised f) {
        Notes job = jobs.get(f.jobId());
        List<Pause> victims = pausedFor.getOrDefault(f.jobId(), List.of());
        boolean moves = job.stage == Stage.PAUSING;
        that(moves || job.stage == Stage.PENDING, "only those who wait are promised GPUs", f.toString());
        that(job.promise == null, "one promise at a time", f.toString());
        minimal(job, f, victims);
        job.promise = f.allocation();
        for (int gpu : f.allocation().toArray()) {
            that(!faulty.is(gpu), "no dead GPU is promised", f.toString());
            that(promisedTo.put(gpu, f.jobId()) == null, "no GPU is promised twice", f.toString());
            for (Notes other : jobs.values()) {
                boolean stays = other.held != null && other.held.contains(gpu) && other.stage != Stage.PAUSING;
                that(!stays, "promised GPUs are free or being vacated", f + " but " + other.job.name() + " stays");
            }
        }
        for (Pause victim : victims) {
            boolean frees = false;
            for (int gpu : victim.held.toArray()) {
                frees |= f.allocation().contains(gpu)
                        || (world.hostLimits() && f.allocation().gpusOnNode(topology.nodeOf(gpu)) > 0);
            }
            that(frees || moves, "a victim frees what the beneficiary starts on", f + " " + victim);
        }
    }

    /** By count of GPUs, or by node and rack where the placement insists on it: nobody left in vain. */
    private void minimal(Notes job, Fact.Promised f, List<Pause> victims) {
        if (habits.shares() || world.hostLimits() || job.stage == Stage.PAUSING) {
            return;
        }
        int type = topology.typeOf(f.allocation().gpu(0));
        int need = job.job.demand().minGpus();
        for (Pause spared : victims) {
            Set<Integer> soon = new HashSet<>();
            for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
                boolean mine = topology.typeOf(gpu) == type && !faulty.is(gpu) && !promisedTo.containsKey(gpu);
                if (mine && !spared.held.contains(gpu) && (isFree(gpu) || isVacating(gpu))) {
                    soon.add(gpu);
                }
            }
            that(!fits(soon, need, type), "no victim in vain", f + " would fit without " + spared);
        }
    }

    private boolean fits(Set<Integer> gpus, int need, int type) {
        if (!habits.consolidates() || (need > topology.largestNode(type) && need > topology.largestRack(type))) {
            return gpus.size() >= need;
        }
        Map<Integer, Integer> together = new HashMap<>();
        boolean oneNode = need <= topology.largestNode(type);
        for (int gpu : gpus) {
            int node = topology.nodeOf(gpu);
            together.merge(oneNode ? node : topology.node(node).rack(), 1, Integer::sum);
        }
        return together.values().stream().anyMatch(count -> count >= need);
    }

    private boolean isFree(int gpu) {
        return onGpu[gpu] == 0;
    }

    private boolean isVacating(int gpu) {
        return onGpu[gpu] == leavingGpu[gpu];
    }

    private static void count(int[] counts, Allocation allocation, int change) {
        for (int i = 0; i < allocation.size(); i++) {
            counts[allocation.gpu(i)] += change;
        }
    }

    private void left(Fact.Left f) {
        Notes job = current(f.jobId(), f.attempt());
        that(job.held != null, "only those on GPUs leave them", f.toString());
        that(f.outcome() != Outcome.OOM, "with the guard nobody runs out of memory", f.toString());
        boolean back = (f.outcome() == Outcome.PAUSED || f.outcome() == Outcome.LOST) && !job.cancelled;
        that(!back || f.next() == JobState.PENDING, "a preempted job is back in the queue at once", f.toString());
        that(back || f.next().isFinal(), "who ended has ended", f.toString());
        count(onGpu, job.held, -1);
        count(leavingGpu, job.held, job.stage == Stage.PAUSING ? -1 : 0);
        job.held = null;
        job.stage = f.next().isFinal() ? Stage.OVER : Stage.PENDING;
    }

    private Notes current(long id, int attempt) {
        Notes job = jobs.get(id);
        that(job != null && job.attempt == attempt, "late news never touches the next attempt", id + "#" + attempt);
        return job;
    }

    private void commandsMatchFacts(Decision decision) {
        List<String> asked = new ArrayList<>();
        List<String> told = new ArrayList<>();
        for (Command c : decision.commands()) {
            if (!(c instanceof Command.Kill)) {
                asked.add((c instanceof Command.Start ? "start " : "pause ") + c.jobId() + "#" + c.attempt());
            }
        }
        for (Fact fact : decision.facts()) {
            if (fact instanceof Fact.Started f) {
                told.add("start " + f.jobId() + "#" + f.attempt());
            } else if (fact instanceof Fact.Profiled || fact instanceof Fact.Pausing) {
                told.add("pause " + fact.jobId() + "#" + jobs.get(fact.jobId()).attempt);
            }
        }
        that(asked.equals(told), "history and commands say the same", asked + " / " + told);
    }

    /** The ledger's own view agrees with what its facts say. */
    private void compare(long now, Scheduler scheduler) {
        Map<Long, String> seen = new TreeMap<>();
        for (JobView job : scheduler.jobs()) {
            seen.put(job.id(), job.state() + "#" + job.attempt() + job.preemptions());
        }
        Map<Long, String> known = new TreeMap<>();
        for (Notes job : jobs.values()) {
            if (job.stage != Stage.OVER) {
                String state = job.stage == Stage.LOADING ? "STARTING" : job.stage.name();
                known.put(job.job.id(), state + "#" + job.attempt + job.preemptions);
            }
        }
        that(seen.equals(known), "nothing is lost", "at " + now + ": ledger " + seen + ", facts " + known);
    }

    private void everyPendingJobHasAVerdict(long now, Scheduler scheduler) {
        for (Notes job : live()) {
            Verdict verdict = scheduler.explain(job.job.id());
            if (job.stage != Stage.PENDING) {
                that(verdict == null, "only pending jobs wait for a reason", job.job.name() + " " + verdict);
                continue;
            }
            String broken = VerdictLaw.broken(job.job.id(), job.promise != null, now, verdict);
            if (broken != null) {
                that(false, broken, "at " + now + ": " + job.job.name() + " " + verdict);
            }
        }
    }

    private List<Notes> live() {
        return jobs.values().stream().filter(j -> j.stage != Stage.OVER).toList();
    }

    private void promisesAreKeptAtOnce(long now) {
        for (Notes job : live()) {
            if (job.promise != null && job.stage == Stage.PENDING && !world.hostLimits()) {
                boolean vacated = true;
                for (int gpu : job.promise.toArray()) {
                    vacated &= isFree(gpu);
                }
                that(!vacated, "a promise is kept when the last victim has left", "at " + now + " " + job.job.name());
            }
        }
    }

    /** Work conservation, for policies that neither reserve nor insist on closeness. */
    private void nobodyWaitsBesideFreeGpus(long now, List<Event> news, Decision decision, Scheduler scheduler) {
        boolean reserves = queues && habits.splitsWork(); // its reservations do not show behind reasons of queues
        if (reserves || habits.waits() || habits.shares() || world.hostLimits() || anyReservation(scheduler)) {
            return;
        }
        for (int type = 0; type < topology.types().size(); type++) {
            int free = 0;
            for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
                boolean usable = topology.typeOf(gpu) == type && !faulty.is(gpu) && !promisedTo.containsKey(gpu);
                free += usable && isFree(gpu) ? 1 : 0;
            }
            for (Notes job : live()) {
                boolean waits = job.stage == Stage.PENDING && job.promise == null;
                boolean blocks = habits.trialsFirst() && job.job.jobClass() == JobClass.BATCH;
                boolean may =
                        waits && !blocks && !job.onHold && (job.job.demand().eligibleTypes(topology) >> type & 1) != 0;
                if (may && job.job.demand().minGpus() <= free && !VerdictLaw.gated(scheduler.explain(job.job.id()))) {
                    that(
                            false,
                            "nobody waits beside GPUs that would do",
                            "at " + now + ": " + job.job.name() + " needs "
                                    + job.job.demand().minGpus() + ", free " + free + ", "
                                    + scheduler.explain(job.job.id()) + ", " + news + " -> " + decision.facts());
                }
            }
        }
    }

    private boolean anyReservation(Scheduler scheduler) {
        return live().stream().map(j -> scheduler.explain(j.job.id())).anyMatch(LawWitness::reserved);
    }

    private static boolean reserved(Verdict verdict) {
        return verdict != null && verdict.reason() == Reason.RESERVATION;
    }

    private void that(boolean holds, String law, String evidence) {
        if (!holds) {
            throw new AssertionError("law broken: " + law + " [seed " + world.seed() + ", policy " + policy
                    + ", estimator " + world.estimator() + "]: " + evidence);
        }
    }
}
