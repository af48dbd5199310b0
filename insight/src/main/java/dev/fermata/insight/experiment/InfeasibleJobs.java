package dev.fermata.insight.experiment;

import dev.fermata.core.contract.HistoryRecord;

/** Jobs that can never run on the cluster: how many, and a description of the first. */
public record InfeasibleJobs(int count, String first) {
    public static final InfeasibleJobs NONE = new InfeasibleJobs(0, "");

    InfeasibleJobs plus(HistoryRecord.JobRejected record) {
        return count > 0
                ? new InfeasibleJobs(count + 1, first)
                : new InfeasibleJobs(
                        1, record.job().name() + " " + record.reason().message());
    }

    public String message() {
        return count == 1
                ? "1 job can never run here and counts as failed: " + first
                : count + " jobs can never run here and count as failed; the first: " + first;
    }
}
