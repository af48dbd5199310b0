package dev.fermata.live.store;

import dev.fermata.history.HistoryEntry;

/** The columns of each record type, in the order of its components. */
final class SqlTables {
    /** A history entry and the owner of its job. */
    record OwnedEntry(HistoryEntry entry, String owner) {}

    /** The spec of a job as JSON. */
    record SpecRow(long job, String body) {}

    static final SqlTable<OwnedEntry> HISTORY =
            SqlTable.of("history", "seq at_millis job attempt actor type body owner", 1, OwnedEntry.class);

    /** Rows are read with one more column, the spec. */
    static final SqlTable<JobRow> JOB = SqlTable.of(
            "job",
            "id name owner queue class gpus priority array_id array_index state attempt preemptions held_gpus on_hold"
                    + " exit_code detail submitted_millis since_millis first_start_millis finished_millis wait_millis"
                    + " run_millis",
            1,
            JobRow.class);

    static final SqlTable<SpecRow> SPEC = SqlTable.of("spec", "job body", 1, SpecRow.class);

    static final SqlTable<AttemptRow> ATTEMPT = SqlTable.of(
            "attempt",
            "job attempt gpus accepted_millis external_id devices start_abort started_millis running_millis preempting_millis ended_millis outcome exit_code signal"
                    + " detail load_millis useful_millis lost_millis preempt_millis saved_work_millis beneficiary gain_millis"
                    + " cost_millis measurements",
            2,
            AttemptRow.class);

    static final SqlTable<SubmissionRow> SUBMISSION =
            SqlTable.of("submission", "owner submission_key digest first_job jobs at_millis", 2, SubmissionRow.class);

    /** The database numbers the rows: they are read with {@code seq} before these columns. */
    static final SqlTable<AuditRow> AUDIT =
            SqlTable.autoNumbered("audit", "at_millis owner role origin action target result", AuditRow.class);

    static final SqlTable<TokenRow> TOKEN = SqlTable.of(
            "token", "id sha256 owner role label created_millis expires_millis revoked_millis", 1, TokenRow.class);

    static final SqlTable<ProfileRow> PROFILE =
            SqlTable.of("profile", "command model gpu_type gpus at_millis seq body", 4, ProfileRow.class);

    static final SqlTable<EstimateRow> ESTIMATE = SqlTable.of(
            "estimate",
            "job moment at_millis source done_millis p10_millis p50_millis p90_millis actual_millis",
            2,
            EstimateRow.class);

    static final SqlTable<CoRunRow> CO_RUN =
            SqlTable.of("co_run", "profile neighbour gpu_type at_millis body", 3, CoRunRow.class);

    private SqlTables() {}
}
