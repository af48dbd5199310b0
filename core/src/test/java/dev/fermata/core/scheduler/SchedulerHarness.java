package dev.fermata.core.scheduler;

import dev.fermata.core.contract.Action;
import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Estimator;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.Policy;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.Topology;
import java.util.List;
import java.util.Objects;

/** A scheduler under test: the test plays the engine by hand and, if it likes, the policy too. */
final class SchedulerHarness {
    /** A policy that returns the given actions once, valid or not. */
    private static final class ScriptedPolicy implements Policy {
        private List<Action> actions = List.of();

        @Override
        public Plan decide(View view) {
            List<Action> now = actions;
            actions = List.of();
            return new Plan(now, List.of(), Plan.NEVER);
        }

        @Override
        public PendingReason explain(View view, JobView job) {
            return new PendingReason.Priority(job.id(), 1, 0, 0);
        }
    }

    private static final Estimator DECLARED =
            (job, now) -> Math.max(1, job.job().declaredMillis() - job.doneWorkMillis(now));

    final Topology topology;
    final Scheduler scheduler;
    private final ScriptedPolicy scriptedPolicy;
    private long now;

    /** The test is the policy. */
    SchedulerHarness(Topology topology) {
        this(topology, false);
    }

    private SchedulerHarness(Topology topology, boolean mixedGangs) {
        this.topology = topology;
        this.scriptedPolicy = new ScriptedPolicy();
        this.scheduler = new Scheduler(topology, scriptedPolicy, DECLARED, GuardMode.FULL, true, mixedGangs);
    }

    /** The test is a policy that gives gangs GPUs of several types. */
    static SchedulerHarness withMixedGangs(Topology topology) {
        return new SchedulerHarness(topology, true);
    }

    SchedulerHarness(Topology topology, Policy policy) {
        this.topology = topology;
        this.scriptedPolicy = new ScriptedPolicy();
        this.scheduler = new Scheduler(topology, policy, DECLARED, GuardMode.FULL, true);
    }

    /** Another harness, whose scheduler continues from this one's; the test is its policy. */
    SchedulerHarness restored() {
        SchedulerHarness other = new SchedulerHarness(topology);
        other.scheduler.restore(scheduler.snapshot());
        other.now = now;
        return other;
    }

    SchedulerHarness at(long nowMillis) {
        now = nowMillis;
        return this;
    }

    Decision handle(Event... events) {
        return scheduler.runCycle(now, List.of(events));
    }

    Decision submit(Job... jobs) {
        Event[] events = new Event[jobs.length];
        for (int i = 0; i < jobs.length; i++) {
            events[i] = new Event.Submitted(jobs[i]);
        }
        return handle(events);
    }

    Decision apply(Action... actions) {
        scriptedPolicy.actions = List.of(actions);
        return handle();
    }

    Decision running(long id) {
        return handle(new Event.Running(id, attempt(id), Speed.UNIT));
    }

    Decision end(long id, Outcome outcome) {
        return handle(new Event.AttemptEnded(id, attempt(id), outcome, Usage.NONE));
    }

    /** Starts it on these GPUs and lets it finish loading. */
    void startAndRun(Job job, int... gpus) {
        submit(job);
        apply(new Action.Start(job.id(), exclusive(gpus)));
        running(job.id());
    }

    JobView job(long id) {
        return Objects.requireNonNull(scheduler.job(id));
    }

    PendingReason explain(long id) {
        return Objects.requireNonNull(scheduler.explain(id));
    }

    int attempt(long id) {
        JobView job = scheduler.job(id);
        return job == null ? -1 : job.attempt();
    }

    Allocation exclusive(int... gpus) {
        return Allocation.of(topology, gpus, false);
    }

    Allocation shared(int... gpus) {
        return Allocation.of(topology, gpus, true);
    }

    static Job job(long id, int gpus) {
        return Job.builder(id, gpus).declaredMillis(100_000).build();
    }
}
