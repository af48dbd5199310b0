package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;

/** Jobs in order of submission (ties by id), with a name for tables. */
public record Workload(String name, List<TrueJob> jobs) {
    public Workload {
        List<TrueJob> sorted = new ArrayList<>(jobs);
        sorted.sort(Comparator.comparingLong(TrueJob::submitMillis)
                .thenComparingLong(j -> j.job().id()));
        jobs = List.copyOf(sorted);
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
                                    change.apply(j.costs()));
                        })
                        .toList());
    }
}
