package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.ProfileFirst;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.model.QueueTerms;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A scenario with dependencies, arrays, jobs without a profile, and queues whose rules change now and then. */
final class AdmissionScenario {
    private static final List<String> QUEUES =
            List.of("research", "research/nlp", "research/cv", "product", "product/ads", "guests", "research/nlp/big");
    private static final List<String> USERS = List.of("ann", "bob", "cy/d");
    private static final Dependency.Condition[] OUTCOMES = Dependency.Condition.values();

    private AdmissionScenario() {}

    static RandomScenario of(long seed) {
        return gate(RandomScenario.of(seed), true);
    }

    /** Without limits, dependencies and arrays: only its queue's share holds a job back. */
    static RandomScenario withSharesOnly(long seed) {
        return gate(RandomScenario.simple(seed), false);
    }

    private static RandomScenario gate(RandomScenario scenario, boolean everything) {
        Rng rng = Rng.stream(scenario.seed(), 80);
        Rng types = Rng.stream(scenario.seed(), 81);
        Rng users = Rng.stream(scenario.seed(), 82);
        List<RandomScenario.ScenarioRequest> requests = new ArrayList<>();
        Map<Long, Job> gated = new TreeMap<>();
        List<SimulatedJob> jobs = new ArrayList<>();
        JobArray array = JobArray.NONE;
        int left = 0;
        for (SimulatedJob plain : scenario.workload().jobs()) {
            Job.Builder job = plain.job().toBuilder(plain.job().id()).queue(QUEUES.get(rng.uniformInt(QUEUES.size())));
            job.user(USERS.get(users.uniformInt(USERS.size())));
            if (everything && left == 0 && rng.uniform() < 0.1) {
                left = 3 + rng.uniformInt(6);
                array = new JobArray(plain.job().id(), 0, 1 + rng.uniformInt(3));
            }
            if (left > 0) {
                job.array(new JobArray(array.id(), (int) (plain.job().id() - array.id()), array.maxRunning()));
                left--;
            }
            if (everything && rng.uniform() < 0.2) {
                job.dependencies(earlierDependencies(plain.job().id(), rng));
            }
            if (everything && types.uniform() < 0.4) {
                job.profileFirst(new ProfileFirst(1 + types.uniformInt(3), 1 + types.uniformInt(400_000)));
                requests.add(new RandomScenario.ScenarioRequest(
                        plain.submitMillis() + types.uniformInt(600_000),
                        new Event.Profiled(plain.job().id(), 1 + types.uniformInt(2))));
            }
            gated.put(plain.job().id(), job.build());
            jobs.add(new SimulatedJob(
                    job.build(), plain.submitMillis(), plain.durationMillis(), plain.peakMemoryMib(), plain.costs()));
        }
        long end = jobs.get(jobs.size() - 1).submitMillis();
        for (int i = rng.uniformInt(4); i >= 0; i--) {
            long at = i == 0 ? 0 : rng.uniformInt((int) Math.min(Integer.MAX_VALUE, end + 600_000));
            requests.add(new RandomScenario.ScenarioRequest(
                    at, new Event.QueuesSet(rules(scenario, rng, users, everything))));
        }
        for (RandomScenario.ScenarioRequest request : scenario.requests()) {
            requests.add(
                    request.event() instanceof Event.JobUpdated jobUpdated
                            ? new RandomScenario.ScenarioRequest(request.atMillis(), updated(jobUpdated, gated))
                            : request);
        }
        requests.sort(Comparator.comparingLong(RandomScenario.ScenarioRequest::atMillis));
        return new RandomScenario(
                scenario.seed(),
                scenario.topology(),
                new Workload(scenario.workload().name(), jobs),
                scenario.estimator(),
                scenario.faults(),
                scenario.cancels(),
                requests,
                scenario.hostLimits());
    }

    private static List<Dependency> earlierDependencies(long id, Rng rng) {
        List<Dependency> after = new ArrayList<>();
        for (int i = rng.uniformInt(3); i >= 0; i--) {
            long other = id - 4 + rng.uniformInt(6); // also itself and later jobs, which have no effect
            after.add(new Dependency(Math.max(0, other), OUTCOMES[rng.uniformInt(OUTCOMES.length)]));
        }
        return after;
    }

    private static Event updated(Event.JobUpdated event, Map<Long, Job> gated) {
        Job job = gated.get(event.job().id());
        return new Event.JobUpdated(event.job().toBuilder(job.id())
                .dependencies(job.dependencies())
                .array(job.array())
                .build());
    }

    /** Limits of users and trials that still fit the smallest gang of every scenario; fair shares between users. */
    private static QueueTerms terms(Rng rng, int gpus) {
        return new QueueTerms(
                QueueTerms.Submitters.ALL,
                new QueueTerms.PerUser(
                        rng.uniform() < 0.3 ? 8 + rng.uniformInt(gpus + 1) : QueueTerms.NO_LIMIT,
                        QueueTerms.NO_LIMIT,
                        rng.uniform() < 0.4),
                QueueTerms.Ceilings.DEFAULT,
                new QueueTerms.Trials(
                        QueueTerms.Submitters.ALL,
                        QueueTerms.NO_LIMIT,
                        QueueTerms.Trials.NO_TIME_LIMIT,
                        rng.uniform() < 0.3 ? 8 + rng.uniformInt(gpus + 1) : QueueTerms.NO_LIMIT));
    }

    /**
     * Guarantees of children within those of their parents; limits that still fit the smallest gang of every scenario.
     */
    private static List<QueueRule> rules(RandomScenario scenario, Rng rng, Rng users, boolean limits) {
        int gpus = scenario.topology().gpuCount();
        List<QueueRule> rules = new ArrayList<>();
        int left = gpus;
        for (String path : QUEUES) {
            boolean top = path.indexOf('/') < 0;
            if (rng.uniform() < 0.3) {
                continue;
            }
            int guarantee = top && rng.uniform() < 0.6 ? rng.uniformInt(left + 1) / 2 : 0;
            left -= guarantee;
            int limit = limits && rng.uniform() < 0.5
                    ? Math.max(guarantee, 8 + rng.uniformInt(gpus + 1))
                    : QueueRule.NO_LIMIT;
            rules.add(new QueueRule(
                    path,
                    guarantee,
                    limit,
                    rng.uniform() < 0.5 ? 1 : 0.5 + 3 * rng.uniform(),
                    limits ? terms(users, gpus) : QueueTerms.NONE));
        }
        return rules;
    }
}
