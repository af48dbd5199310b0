package dev.fermata.live.store;

import dev.fermata.history.HistoryEntry;
import java.util.List;

/** What one scheduling cycle makes durable, all or nothing. A row replaces an earlier row with the same key. */
public record Batch(
        List<HistoryEntry> entries,
        List<JobRow> jobs,
        List<AttemptRow> attempts,
        List<SubmissionRow> submissions,
        List<AuditRow> audit,
        List<ProfileRow> profiles,
        List<EstimateRow> estimates,
        List<CoRunRow> coRuns) {
    public static final Batch EMPTY = new Batch(List.of(), List.of(), List.of(), List.of(), List.of());

    /** A batch without profiles and estimates. */
    public Batch(
            List<HistoryEntry> entries,
            List<JobRow> jobs,
            List<AttemptRow> attempts,
            List<SubmissionRow> submissions,
            List<AuditRow> audit) {
        this(entries, jobs, attempts, submissions, audit, List.of(), List.of(), List.of());
    }

    /** A batch without co-run samples. */
    public Batch(
            List<HistoryEntry> entries,
            List<JobRow> jobs,
            List<AttemptRow> attempts,
            List<SubmissionRow> submissions,
            List<AuditRow> audit,
            List<ProfileRow> profiles,
            List<EstimateRow> estimates) {
        this(entries, jobs, attempts, submissions, audit, profiles, estimates, List.of());
    }

    public Batch {
        entries = List.copyOf(entries);
        jobs = List.copyOf(jobs);
        attempts = List.copyOf(attempts);
        submissions = List.copyOf(submissions);
        audit = List.copyOf(audit);
        profiles = List.copyOf(profiles);
        estimates = List.copyOf(estimates);
        coRuns = List.copyOf(coRuns);
    }

    public boolean isEmpty() {
        return entries.isEmpty()
                && jobs.isEmpty()
                && attempts.isEmpty()
                && submissions.isEmpty()
                && audit.isEmpty()
                && profiles.isEmpty()
                && estimates.isEmpty()
                && coRuns.isEmpty();
    }
}
