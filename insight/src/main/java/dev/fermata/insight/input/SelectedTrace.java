package dev.fermata.insight.input;

import dev.fermata.sim.trace.ModelAssignment;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceImporter;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Records of a trace and the jobs made of them, in the same order, for the trace commands.
 *
 * @param trace where they come from; it may hold more
 */
public record SelectedTrace(Trace trace, List<TraceRecord> records, List<SimulatedJob> jobs) {
    /** What a selection leaves of a trace, in the order of the trace. */
    public static SelectedTrace of(Trace trace, JobSelection selection) {
        SelectedTrace all = new SelectedTrace(
                trace, trace.records(), TraceImporter.toJobs(trace, ModelAssignment.namedOnly(List.of())));
        if (selection.selectsEverything()) {
            return all;
        }
        Set<Long> chosen = new HashSet<>();
        selection
                .apply(new Workload(trace.name(), all.jobs))
                .jobs()
                .forEach(job -> chosen.add(job.job().id()));
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < all.jobs.size(); i++) {
            if (chosen.contains(all.jobs.get(i).job().id())) {
                places.add(i);
            }
        }
        return all.pick(places);
    }

    /** Those at these places. */
    public SelectedTrace pick(List<Integer> places) {
        return new SelectedTrace(
                trace,
                places.stream().map(records::get).toList(),
                places.stream().map(jobs::get).toList());
    }
}
