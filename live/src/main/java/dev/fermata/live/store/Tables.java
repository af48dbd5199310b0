package dev.fermata.live.store;

/** Which record is kept in which columns, in the order of its components. */
final class Tables {
    /** A line and whose job it is about. */
    record OwnedLine(Line line, String owner) {}

    /** What a job's user asked for. */
    record SpecText(long job, String body) {}

    static final Table<OwnedLine> LINE =
            Table.of("line", "seq at_millis job attempt actor kind body owner", 1, OwnedLine.class);

    /** Rows are read with one more column, the spec. */
    static final Table<JobRow> JOB = Table.of(
            "job",
            "id name owner queue class gpus priority state attempt preemptions submitted_millis since_millis"
                    + " first_start_millis finished_millis wait_millis run_millis held on_hold exit_code detail"
                    + " array_id array_index",
            1,
            JobRow.class);

    static final Table<SpecText> SPEC = Table.of("spec", "job body", 1, SpecText.class);

    static final Table<RunRow> RUN = Table.of(
            "run",
            "job attempt gpus started_millis running_millis pausing_millis left_millis outcome exit_code signal detail"
                    + " load_millis useful_millis lost_millis pause_millis saved_work_millis beneficiary gain_millis"
                    + " cost_millis measured",
            2,
            RunRow.class);

    static final Table<Submission> SUBMISSION =
            Table.of("submission", "owner submission_key digest first_job jobs at_millis", 2, Submission.class);

    /** The database numbers its rows: they are read with {@code seq} before these columns. */
    static final Table<AuditRow> AUDIT =
            Table.numbered("audit", "at_millis owner role origin action target result", AuditRow.class);

    static final Table<TokenRow> TOKEN = Table.of(
            "token", "id sha256 owner role label created_millis expires_millis revoked_millis", 1, TokenRow.class);

    static final Table<KindRow> KIND =
            Table.of("kind", "command model gpu_type gpus at_millis seq body", 4, KindRow.class);

    static final Table<EstimateRow> ESTIMATE = Table.of(
            "estimate",
            "job moment at_millis source done_millis p10_millis p50_millis p90_millis truth_millis",
            2,
            EstimateRow.class);

    static final Table<PairRow> PAIR = Table.of("pair", "slowed beside gpu_type at_millis body", 3, PairRow.class);

    private Tables() {}
}
