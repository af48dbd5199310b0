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
 * @param requests user requests during the run, in order of time
 */
public record Workload(String name, List<SimulatedJob> jobs, List<TimedRequest> requests) {
    /** A request of a user or operator: a hold, other rules for the queues. */
    public record TimedRequest(long atMillis, Event event) {}

    public Workload(String name, List<SimulatedJob> jobs) {
        this(name, jobs, List.of());
    }

    public Workload {
        List<SimulatedJob> sorted = new ArrayList<>(jobs);
        sorted.sort(Comparator.comparingLong(SimulatedJob::submitMillis)
                .thenComparingLong(j -> j.job().id()));
        jobs = List.copyOf(sorted);
        requests = requests.stream()
                .sorted(Comparator.comparingLong(TimedRequest::atMillis))
                .toList();
    }

    /** The same jobs, in queues with these rules from the beginning. */
    public Workload withQueues(List<QueueRule> rules) {
        return rules.isEmpty()
                ? this
                : new Workload(name, jobs, List.of(new TimedRequest(0, new Event.QueuesSet(rules))));
    }

    /** The same jobs with other pause and load costs. */
    public Workload withCosts(UnaryOperator<Costs> change) {
        return new Workload(
                name,
                jobs.stream()
                        .map(j -> {
                            Costs declared = change.apply(j.job().costs());
                            return new SimulatedJob(
                                    j.job().withCosts(declared),
                                    j.submitMillis(),
                                    j.durationMillis(),
                                    j.peakMemoryMib(),
                                    j.overhead().withCosts(change),
                                    j.outcome(),
                                    j.attemptOverheads().stream()
                                            .map(overhead -> overhead.withCosts(change))
                                            .toList());
                        })
                        .toList(),
                requests);
    }
}
