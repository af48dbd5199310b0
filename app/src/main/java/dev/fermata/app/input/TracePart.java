package dev.fermata.app.input;

import dev.fermata.sim.trace.Adoption;
import dev.fermata.sim.trace.Casting;
import dev.fermata.sim.trace.Trace;
import dev.fermata.sim.trace.TraceRecord;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Records of a trace and the jobs made of them, side by side, as the commands about traces look at them.
 *
 * @param trace where they come from; it may hold more
 */
public record TracePart(Trace trace, List<TraceRecord> records, List<TrueJob> jobs) {
    /** What a selection leaves of a trace, in the order of the trace. */
    public static TracePart of(Trace trace, Selection selection) {
        TracePart all = new TracePart(trace, trace.records(), Adoption.jobs(trace, Casting.none(List.of())));
        if (selection.everything()) {
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
        return all.at(places);
    }

    /** Those at these places. */
    public TracePart at(List<Integer> places) {
        return new TracePart(
                trace,
                places.stream().map(records::get).toList(),
                places.stream().map(jobs::get).toList());
    }
}
