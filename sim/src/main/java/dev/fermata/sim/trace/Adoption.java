package dev.fermata.sim.trace;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.sim.workload.TrueJob;
import dev.fermata.sim.workload.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes jobs of trace records: the one place where a record gets a number, a demand, a profile and costs. {@link Casting} says
 * what each of them trains.
 *
 * <p>Jobs submitted at the same time keep the order of the records. They are numbered by it, from 1, unless all ids of the trace
 * are plain numbers, each used once, that grow among jobs submitted at the same time: then those are kept.
 */
public final class Adoption {
    private static final int LONGEST_NUMBER = 18;

    private final Casting casting;
    /** Most jobs of a trace want the same few things. */
    private final Map<Demand, Demand> demands = new HashMap<>();

    private Adoption(Casting casting) {
        this.casting = casting;
    }

    /** The same for the same trace and seed, for a cluster about which nothing is said. */
    public static Workload adopt(Trace trace, long seed) {
        return adopt(trace, Casting.rule(seed));
    }

    public static Workload adopt(Trace trace, Casting casting) {
        return new Workload(trace.name(), jobs(trace, casting));
    }

    /** One job for each record, in the order of the records. */
    public static List<TrueJob> jobs(Trace trace, Casting casting) {
        return new Adoption(casting).all(trace);
    }

    private List<TrueJob> all(Trace trace) {
        List<TraceRecord> records = trace.records();
        boolean own = ownNumbers(records);
        boolean unique = own || TraceRecord.haveIdsOfTheirOwn(records);
        Ties ties = Ties.among(records, own);
        List<TrueJob> jobs = new ArrayList<>(records.size());
        for (int i = 0; i < records.size(); i++) {
            TraceRecord record = records.get(i);
            long number = own ? Long.parseLong(record.id()) : i + 1;
            Casting.Role role = casting.role(record, unique ? record.id() : Long.toString(number));
            jobs.add(job(record, number, role, trace.zeroMillis(), ties));
        }
        return jobs;
    }

    private static boolean ownNumbers(List<TraceRecord> records) {
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
        return growing || onceAndInOrder(records);
    }

    private static boolean onceAndInOrder(List<TraceRecord> records) {
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
                && id.length() <= LONGEST_NUMBER
                && id.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private TrueJob job(TraceRecord record, long number, Casting.Role role, long zeroMillis, Ties ties) {
        Job.Builder job = Job.builder(number, record.maxGpus())
                .user(record.user())
                .queue(record.queue())
                .jobClass(record.jobClass())
                .demand(demand(record, role))
                .profile(role.profile())
                .costs(role.costs())
                .declaredMillis(record.declaredMillis())
                .iterations(record.iterations())
                .graceMillis(record.graceMillis())
                .priority(record.priority())
                .after(ties.after(record))
                .bundle(ties.bundle(record, number));
        String called = record.id().isEmpty() ? Long.toString(number) : record.id();
        job.name(record.name().isEmpty() ? called : record.name());
        return TrueJob.of(job.build(), record.submitMillis() - zeroMillis, role.durationMillis());
    }

    private Demand demand(TraceRecord record, Casting.Role role) {
        int max = record.maxGpus();
        Demand demand = new Demand(
                record.minGpus(),
                max,
                role.memoryMib(),
                record.gpuMilli(),
                role.gpuTypes(),
                (record.cpuMilli() + max - 1) / max,
                (record.memoryMib() + max - 1) / max);
        Demand known = demands.putIfAbsent(demand, demand);
        return known == null ? demand : known;
    }
}
