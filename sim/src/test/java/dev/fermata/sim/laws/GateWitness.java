package dev.fermata.sim.laws;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.core.model.After;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Says which gate was passed that was closed: from facts alone, counted the slow and obvious way. */
final class GateWitness implements Ring.Witness {
    private static final class Notes {
        Job job;
        final Set<After> waitsFor = new HashSet<>();
        boolean cancelled;
        boolean doomed;
        boolean pausing;
        Allocation held;
        Allocation promise;

        Notes(Job job) {
            this.job = job;
        }
    }

    private record Paused(long victim, int gpus, String queue) {}

    private final World world;
    private final String policy;
    private final Map<Long, Notes> live = new TreeMap<>();
    private final Map<Long, List<Paused>> pausedFor = new HashMap<>();
    private List<QueueRule> rules = List.of();
    private long now;

    GateWitness(World world, String policy) {
        this.world = world;
        this.policy = policy;
    }

    @Override
    public void turn(long nowMillis, List<Event> news, Decision decision, Scheduler scheduler) {
        now = nowMillis;
        for (Event event : news) {
            if (event instanceof Event.CancelAsked e && live.containsKey(e.jobId())) {
                live.get(e.jobId()).cancelled = true;
            }
        }
        pausedFor.clear();
        decision.facts().forEach(this::take);
        for (Notes job : live.values()) {
            that(!job.doomed, "who waited for another end than came is cancelled at once", job.job.name());
        }
    }

    private void take(Fact fact) {
        Notes job = live.get(fact.jobId());
        if (fact instanceof Fact.Submitted f) {
            submitted(f.job());
        } else if (fact instanceof Fact.Changed f) {
            job.job = f.job();
        } else if (fact instanceof Fact.QueuesSet f) {
            rules = f.rules();
        } else if (fact instanceof Fact.Started f) {
            that(job.waitsFor.isEmpty(), "nobody starts before those he waits for have ended", f + " " + job.waitsFor);
            boolean kept = job.promise != null;
            job.promise = null;
            job.held = f.allocation();
            if (!kept) {
                arrived(job, f);
            }
        } else if (fact instanceof Fact.Promised f) {
            boolean moves = job.held != null;
            job.promise = f.allocation();
            if (!moves) {
                arrived(job, f);
                guaranteesStay(job, f);
            }
        } else if (fact instanceof Fact.Unpromised) {
            if (job != null) {
                job.promise = null;
            }
        } else if (fact instanceof Fact.Pausing f) {
            job.pausing = true;
            if (f.beneficiary() != f.jobId()) {
                pausedFor
                        .computeIfAbsent(f.beneficiary(), b -> new ArrayList<>())
                        .add(new Paused(f.jobId(), job.held.size(), job.job.queue()));
            }
        } else if (fact instanceof Fact.Cancelling || fact instanceof Fact.Profiled) {
            job.pausing = true;
        } else if (fact instanceof Fact.Left f) {
            job.held = null;
            job.pausing = false;
            if (f.next().isFinal()) {
                ended(f.jobId(), f.next());
            }
        } else if (fact instanceof Fact.Ended f) {
            that(job.cancelled || job.doomed, "nobody is cancelled without a reason", f.toString());
            ended(f.jobId(), f.state());
        }
    }

    private void submitted(Job job) {
        Notes notes = new Notes(job);
        for (After after : job.after()) {
            Notes other = live.get(after.jobId());
            if (other != null && after.jobId() != job.id()) {
                notes.waitsFor.add(after);
            }
        }
        live.put(job.id(), notes);
    }

    private void ended(long id, JobState state) {
        live.remove(id);
        for (Notes other : live.values()) {
            for (After after : List.copyOf(other.waitsFor)) {
                if (after.jobId() == id) {
                    other.waitsFor.remove(after);
                    boolean success = state == JobState.COMPLETED;
                    other.doomed |= after.wanted() == (success ? After.Wanted.FAILURE : After.Wanted.SUCCESS);
                }
            }
        }
    }

    /** Somebody was given GPUs, or promised some. */
    private void arrived(Notes job, Fact fact) {
        int most = job.job.bundle().atMost();
        if (most > 0) {
            long on = live.values().stream()
                    .filter(o -> o.job.bundle().id() == job.job.bundle().id() && (o.held != null || o.promise != null))
                    .count();
            that(on <= most, "no more of an array than may be are on GPUs", fact + ": " + on + " of " + most);
        }
        for (QueueRule rule : rules) {
            if (within(rule.path(), job.job.queue())) {
                int used = used(rule.path()).size();
                that(used <= rule.limitGpus(), "no queue exceeds its limit", rule + " uses " + used + " by " + fact);
            }
        }
    }

    private static boolean within(String path, String queue) {
        return queue.equals(path) || queue.startsWith(path + "/");
    }

    private Set<Integer> used(String path) {
        Set<Integer> gpus = new HashSet<>();
        for (Notes job : live.values()) {
            if (within(path, job.job.queue())) {
                add(gpus, job.held);
                add(gpus, job.promise);
            }
        }
        return gpus;
    }

    private static void add(Set<Integer> gpus, Allocation allocation) {
        for (int i = 0; allocation != null && i < allocation.size(); i++) {
            gpus.add(allocation.gpu(i));
        }
    }

    /** Whoever was paused for a job of another queue, his queue keeps what it is guaranteed. */
    private void guaranteesStay(Notes beneficiary, Fact fact) {
        for (QueueRule rule : rules) {
            boolean lost = pausedFor.getOrDefault(fact.jobId(), List.of()).stream()
                    .anyMatch(p -> within(rule.path(), p.queue()));
            if (lost && !within(rule.path(), beneficiary.job.queue())) {
                int stay = 0;
                for (Notes job : live.values()) {
                    boolean mine = within(rule.path(), job.job.queue());
                    stay += mine && job.held != null && !job.pausing ? job.held.size() : 0;
                    stay += mine && job.promise != null ? job.promise.size() : 0;
                }
                that(
                        stay >= rule.guaranteeGpus(),
                        "nobody loses what his queue is guaranteed",
                        rule + " keeps " + stay + " after " + fact);
            }
        }
    }

    private void that(boolean holds, String law, String evidence) {
        if (!holds) {
            throw new AssertionError("law broken: " + law + " [seed " + world.seed() + ", policy " + policy + "] at "
                    + now + ": " + evidence);
        }
    }
}
