package dev.fermata.sim.laws;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.Topology;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Says which promise was broken without a reason, or kept though it kept somebody waiting: books of its own, from events and
 * facts alone.
 */
final class PromiseWitness implements Ring.Witness {
    private static final class Notes {
        Job job;
        boolean cancelled;
        boolean onHold;
        boolean leaves;
        Allocation held;
        Allocation promise;

        Notes(Job job) {
            this.job = job;
        }
    }

    private final World world;
    private final Topology topology;
    private final String policy;
    private final boolean picky;
    private final Map<Long, Notes> jobs = new TreeMap<>();
    private final Set<Long> elsewhere = new HashSet<>();
    private final Faulty faulty;
    private boolean limits;
    private long now;

    PromiseWitness(World world, String policy) {
        this.world = world;
        this.topology = world.topology();
        this.policy = policy;
        this.picky = Habits.of(policy).shares() || Habits.of(policy).waits();
        this.faulty = new Faulty(topology);
    }

    @Override
    public void turn(long at, List<Event> news, Decision decision, Scheduler scheduler) {
        now = at;
        news.forEach(this::hear);
        decision.facts().forEach(this::take);
        that(elsewhere.isEmpty(), "who gives a promise up for other GPUs starts on them at once", "jobs " + elsewhere);
        jobs.values().forEach(this::nobodyIsPromisedABusyGpuBesideAFreeOne);
    }

    private void hear(Event event) {
        faulty.hear(event);
        if (event instanceof Event.CancelAsked e && jobs.get(e.jobId()) != null) {
            jobs.get(e.jobId()).cancelled = true;
        }
    }

    private void take(Fact fact) {
        Notes job = jobs.get(fact.jobId());
        if (fact instanceof Fact.Submitted f) {
            jobs.put(f.jobId(), new Notes(f.job()));
        } else if (fact instanceof Fact.QueuesSet f) {
            limits = f.rules().stream().anyMatch(rule -> rule.limitGpus() != QueueRule.NO_LIMIT);
        } else if (job == null) {
            return;
        } else if (fact instanceof Fact.Changed f) {
            job.job = f.job();
        } else if (fact instanceof Fact.Held || fact instanceof Fact.Released) {
            job.onHold = fact instanceof Fact.Held;
        } else if (fact instanceof Fact.Started f) {
            elsewhere.remove(f.jobId());
            job.held = f.allocation();
            job.promise = null;
        } else if (fact instanceof Fact.Pausing || fact instanceof Fact.Profiled || fact instanceof Fact.Cancelling) {
            job.leaves = true;
        } else if (fact instanceof Fact.Left f) {
            job.held = null;
            job.leaves = false;
            if (f.next().isFinal()) {
                jobs.remove(f.jobId());
            }
        } else if (fact instanceof Fact.Ended f) {
            jobs.remove(f.jobId());
        } else if (fact instanceof Fact.Promised f) {
            job.promise = f.allocation();
        } else if (fact instanceof Fact.Unpromised f) {
            unpromised(job, f);
        }
    }

    private void unpromised(Notes job, Fact.Unpromised fact) {
        boolean broken = job.cancelled || job.onHold || job.held != null;
        for (int gpu : job.promise.toArray()) {
            broken |= faulty.is(gpu);
        }
        if (!broken) {
            that(
                    world.hostLimits() || beingVacated(job.promise),
                    "a promise is broken only by a fault, a cancel, a hold, or to start sooner",
                    fact.toString());
            elsewhere.add(fact.jobId());
        }
        job.promise = null;
    }

    /** Whether somebody who leaves is still on these GPUs. */
    private boolean beingVacated(Allocation promise) {
        return jobs.values().stream().anyMatch(o -> o.held != null && o.leaves && overlap(o.held, promise));
    }

    private static boolean overlap(Allocation a, Allocation b) {
        for (int gpu : a.toArray()) {
            if (b.contains(gpu)) {
                return true;
            }
        }
        return false;
    }

    /** For jobs of one GPU, where any GPU of the type does as well, and policies that decline none. */
    private void nobodyIsPromisedABusyGpuBesideAFreeOne(Notes job) {
        if (limits
                || picky
                || world.hostLimits()
                || job.held != null
                || job.promise == null
                || job.promise.size() > 1) {
            return;
        }
        int type = topology.typeOf(job.promise.gpu(0));
        for (int gpu = 0; gpu < topology.gpuCount(); gpu++) {
            that(
                    topology.typeOf(gpu) != type || faulty.is(gpu) || taken(gpu),
                    "nobody waits for a GPU to be vacated beside a free one",
                    job.job.name() + ", gpu " + gpu);
        }
    }

    private boolean taken(int gpu) {
        return jobs.values().stream()
                .anyMatch(o ->
                        (o.held != null && o.held.contains(gpu)) || (o.promise != null && o.promise.contains(gpu)));
    }

    private void that(boolean holds, String law, String evidence) {
        if (!holds) {
            throw new AssertionError("law broken: " + law + " [seed " + world.seed() + ", policy " + policy + "] at "
                    + now + ": " + evidence);
        }
    }
}
