package dev.fermata.sim.workload;

import dev.fermata.core.contract.Event;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.QueueRule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Jobs in order of submission (ties by id), with a name for tables.
 *
 * @param requests what is asked for meanwhile, in order of time
 */
public record Workload(String name, List<TrueJob> jobs, List<Request> requests) {
    /** Something that people ask for: a hold, other rules for the queues. */
    public record Request(long atMillis, Event event) {}

    public Workload(String name, List<TrueJob> jobs) {
        this(name, jobs, List.of());
    }

    public Workload {
        List<TrueJob> sorted = new ArrayList<>(jobs);
        sorted.sort(Comparator.comparingLong(TrueJob::submitMillis)
                .thenComparingLong(j -> j.job().id()));
        jobs = List.copyOf(sorted);
        requests = requests.stream()
                .sorted(Comparator.comparingLong(Request::atMillis))
                .toList();
    }

    /** The same jobs, in queues with these rules from the beginning. */
    public Workload withQueues(List<QueueRule> rules) {
        return rules.isEmpty() ? this : new Workload(name, jobs, List.of(new Request(0, new Event.QueuesSet(rules))));
    }

    /** The same jobs with other pause and load costs. */
    public Workload withCosts(UnaryOperator<Costs> change) {
        return new Workload(
                name,
                jobs.stream()
                        .map(j -> {
                            Costs believed = change.apply(j.job().costs());
                            return new TrueJob(
                                    j.job().withCosts(believed),
                                    j.submitMillis(),
                                    j.durationMillis(),
                                    j.peakMemoryMib(),
                                    j.toll().with(change),
                                    j.end(),
                                    j.attempts().stream()
                                            .map(toll -> toll.with(change))
                                            .toList());
                        })
                        .toList(),
                requests);
    }
}
