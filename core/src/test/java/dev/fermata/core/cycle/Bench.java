package dev.fermata.core.cycle;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.Verdict;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Objects;

/** A scheduler on the bench: the test plays the outside by hand, and, if it likes, the policy too. */
final class Bench {
    /** A policy that does what it is told once, however foolish. */
    private static final class Told implements Policy {
        private List<Action> actions = List.of();

        @Override
        public Plan decide(View view) {
            List<Action> now = actions;
            actions = List.of();
            return new Plan(now, List.of(), Plan.NEVER);
        }

        @Override
        public Verdict explain(View view, JobView job) {
            return Verdict.of(job.id(), Reason.PRIORITY, 1, 0);
        }
    }

    private static final Estimator DECLARED =
            (job, now) -> Math.max(1, job.job().declaredMillis() - job.doneWorkMillis(now));

    final Topology topology;
    final Scheduler scheduler;
    private final Told told;
    private long now;

    /** The test is the policy. */
    Bench(Topology topology) {
        this(topology, false);
    }

    private Bench(Topology topology, boolean mixedGangs) {
        this.topology = topology;
        this.told = new Told();
        this.scheduler = new Scheduler(topology, told, DECLARED, GuardMode.FULL, true, mixedGangs);
    }

    /** The test is a policy that gives gangs GPUs of several types. */
    static Bench mixing(Topology topology) {
        return new Bench(topology, true);
    }

    Bench(Topology topology, Policy policy) {
        this.topology = topology;
        this.told = new Told();
        this.scheduler = new Scheduler(topology, policy, DECLARED, GuardMode.FULL, true);
    }

    /** Another bench, whose scheduler goes on where this one's is; the test is its policy. */
    Bench restored() {
        Bench other = new Bench(topology);
        other.scheduler.restore(scheduler.image());
        other.now = now;
        return other;
    }

    Bench at(long nowMillis) {
        now = nowMillis;
        return this;
    }

    Decision hear(Event... events) {
        return scheduler.step(now, List.of(events));
    }

    Decision submit(Job... jobs) {
        Event[] events = new Event[jobs.length];
        for (int i = 0; i < jobs.length; i++) {
            events[i] = new Event.Submitted(jobs[i]);
        }
        return hear(events);
    }

    Decision act(Action... actions) {
        told.actions = List.of(actions);
        return hear();
    }

    Decision running(long id) {
        return hear(new Event.Running(id, attempt(id), Pace.UNIT));
    }

    Decision left(long id, Outcome outcome) {
        return hear(new Event.Left(id, attempt(id), outcome, Usage.NOTHING));
    }

    /** Starts it on these GPUs and lets it finish loading. */
    void runs(Job job, int... gpus) {
        submit(job);
        act(new Action.Start(job.id(), on(gpus)));
        running(job.id());
    }

    JobView job(long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    Verdict why(long id) {
        return Objects.requireNonNull(scheduler.explain(id));
    }

    int attempt(long id) {
        JobView job = scheduler.job(id);
        return job == null ? -1 : job.attempt();
    }

    Allocation on(int... gpus) {
        return Allocation.of(topology, gpus, false);
    }

    Allocation shared(int... gpus) {
        return Allocation.of(topology, gpus, true);
    }

    static Job job(long id, int gpus) {
        return Job.builder(id, gpus).declaredMillis(100_000).build();
    }
}
