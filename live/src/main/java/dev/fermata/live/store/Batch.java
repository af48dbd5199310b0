package dev.fermata.live.store;

import java.util.List;

/** What one cycle makes durable, all or nothing. Rows replace the rows of the same key. */
public record Batch(
        List<Line> lines, List<JobRow> jobs, List<RunRow> runs, List<Submission> submissions, List<AuditRow> audit) {
    public boolean isEmpty() {
        return lines.isEmpty() && jobs.isEmpty() && runs.isEmpty() && submissions.isEmpty() && audit.isEmpty();
    }
}
