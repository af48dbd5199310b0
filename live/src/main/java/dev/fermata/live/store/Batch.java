package dev.fermata.live.store;

import java.util.List;

/** What one cycle makes durable, all or nothing. Rows replace the rows of the same key; of two with one key the later counts. */
public record Batch(
        List<Line> lines,
        List<JobRow> jobs,
        List<RunRow> runs,
        List<Submission> submissions,
        List<AuditRow> audit,
        List<KindRow> kinds,
        List<EstimateRow> estimates,
        List<PairRow> pairs) {
    public static final Batch EMPTY = new Batch(List.of(), List.of(), List.of(), List.of(), List.of());

    /** One in which nothing was learned. */
    public Batch(
            List<Line> lines,
            List<JobRow> jobs,
            List<RunRow> runs,
            List<Submission> submissions,
            List<AuditRow> audit) {
        this(lines, jobs, runs, submissions, audit, List.of(), List.of(), List.of());
    }

    /** One in which nobody was seen beside others. */
    public Batch(
            List<Line> lines,
            List<JobRow> jobs,
            List<RunRow> runs,
            List<Submission> submissions,
            List<AuditRow> audit,
            List<KindRow> kinds,
            List<EstimateRow> estimates) {
        this(lines, jobs, runs, submissions, audit, kinds, estimates, List.of());
    }

    public Batch {
        lines = List.copyOf(lines);
        jobs = List.copyOf(jobs);
        runs = List.copyOf(runs);
        submissions = List.copyOf(submissions);
        audit = List.copyOf(audit);
        kinds = List.copyOf(kinds);
        estimates = List.copyOf(estimates);
        pairs = List.copyOf(pairs);
    }

    public boolean isEmpty() {
        return lines.isEmpty()
                && jobs.isEmpty()
                && runs.isEmpty()
                && submissions.isEmpty()
                && audit.isEmpty()
                && kinds.isEmpty()
                && estimates.isEmpty()
                && pairs.isEmpty();
    }
}
