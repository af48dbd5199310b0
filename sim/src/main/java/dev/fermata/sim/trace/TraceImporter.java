package dev.fermata.sim.trace;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes jobs of trace records: the one place where a record gets a number, a demand, a profile and costs. {@link ModelAssignment} says
 * what each of them trains.
 *
 * <p>Jobs submitted at the same time keep the order of the records. They are numbered by it, from 1, unless all ids of the trace
 * are plain numbers, each used once, that grow among jobs submitted at the same time: then those are kept.
 */
public final class TraceImporter {
    private static final int MAX_ID_DIGITS = 18;

    private final ModelAssignment assignment;
    /** Most jobs of a trace share a few demands. */
    private final Map<Demand, Demand> demands = new HashMap<>();

    private TraceImporter(ModelAssignment assignment) {
        this.assignment = assignment;
    }

    /** The same for the same trace and seed, for an unspecified cluster. */
    public static Workload toWorkload(Trace trace, long seed) {
        return toWorkload(trace, ModelAssignment.byRule(seed));
    }

    public static Workload toWorkload(Trace trace, ModelAssignment assignment) {
        return new Workload(trace.name(), toJobs(trace, assignment));
    }

    /** One job for each record, in the order of the records. */
    public static List<SimulatedJob> toJobs(Trace trace, ModelAssignment assignment) {
        return new TraceImporter(assignment).importAll(trace);
    }

    private List<SimulatedJob> importAll(Trace trace) {
        List<TraceRecord> records = trace.records();
        boolean numericIds = haveNumericIds(records);
        boolean unique = numericIds || TraceRecord.haveUniqueIds(records);
        JobReferences references = JobReferences.resolve(records, numericIds);
        List<SimulatedJob> jobs = new ArrayList<>(records.size());
        for (int i = 0; i < records.size(); i++) {
            TraceRecord record = records.get(i);
            long number = numericIds ? Long.parseLong(record.id()) : i + 1;
            ModelAssignment.AssignedModel assignedModel =
                    assignment.assign(record, unique ? record.id() : Long.toString(number));
            jobs.add(job(record, number, assignedModel, trace.originMillis(), references));
        }
        return jobs;
    }

    private static boolean haveNumericIds(List<TraceRecord> records) {
        long last = -1;
        boolean growing = true;
        for (TraceRecord record : records) {
            if (!isNumber(record.id())) {
                return false;
            }
            long number = Long.parseLong(record.id());
            growing &= number > last;
            last = number;
        }
        return growing || areUniqueAndOrdered(records);
    }

    private static boolean areUniqueAndOrdered(List<TraceRecord> records) {
        Set<String> seen = new HashSet<>();
        Map<Long, Long> latest = new HashMap<>();
        for (TraceRecord record : records) {
            long number = Long.parseLong(record.id());
            Long before = latest.put(record.submitMillis(), number);
            if (!seen.add(record.id()) || (before != null && before > number)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNumber(String id) {
        boolean padded = id.length() > 1 && id.charAt(0) == '0';
        return !id.isEmpty()
                && !padded
                && id.length() <= MAX_ID_DIGITS
                && id.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private SimulatedJob job(
            TraceRecord record,
            long number,
            ModelAssignment.AssignedModel assignedModel,
            long originMillis,
            JobReferences references) {
        Job.Builder job = Job.builder(number, record.maxGpus())
                .user(record.user())
                .queue(record.queue())
                .jobClass(record.jobClass())
                .demand(demand(record, assignedModel))
                .profile(assignedModel.profile())
                .costs(assignedModel.costs())
                .declaredMillis(record.declaredMillis())
                .iterations(record.iterations())
                .graceMillis(record.graceMillis())
                .priority(record.priority())
                .dependencies(references.dependencies(record))
                .array(references.jobArray(record, number));
        String displayName = record.id().isEmpty() ? Long.toString(number) : record.id();
        job.name(record.name().isEmpty() ? displayName : record.name());
        return SimulatedJob.of(job.build(), record.submitMillis() - originMillis, assignedModel.durationMillis());
    }

    private Demand demand(TraceRecord record, ModelAssignment.AssignedModel assignedModel) {
        int max = record.maxGpus();
        Demand demand = new Demand(
                record.minGpus(),
                max,
                assignedModel.memoryMib(),
                record.gpuMilli(),
                assignedModel.gpuTypes(),
                (record.cpuMilli() + max - 1) / max,
                (record.memoryMib() + max - 1) / max);
        Demand known = demands.putIfAbsent(demand, demand);
        return known == null ? demand : known;
    }
}
