package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.util.Map;

/** Which record is kept in which columns. */
final class Tables {
    /** A line and whose job it is about. */
    record OwnedLine(Line line, String owner) {}

    static final Table<OwnedLine> LINE = new Table<>(
            "line",
            "seq at_millis job attempt actor kind body owner",
            1,
            (row, to) -> to.number(row.line.seq())
                    .number(row.line.atMillis())
                    .number(row.line.jobId())
                    .number(row.line.attempt())
                    .text(row.line.actor())
                    .text(row.line.kind())
                    .text(row.line.body())
                    .text(row.owner),
            from -> new OwnedLine(
                    new Line(
                            from.number(),
                            from.number(),
                            from.number(),
                            from.whole(),
                            from.text(),
                            from.text(),
                            from.text()),
                    from.text()));

    /** Rows are read with one more column, the spec. */
    static final Table<JobRow> JOB = new Table<>(
            "job",
            "id name owner queue class gpus priority state attempt preemptions submitted_millis since_millis"
                    + " first_start_millis finished_millis wait_millis run_millis held on_hold exit_code detail"
                    + " array_id array_index",
            1,
            (row, to) -> to.number(row.id())
                    .text(row.name())
                    .text(row.user())
                    .text(row.queue())
                    .text(row.jobClass())
                    .number(row.gpus())
                    .number(row.priority())
                    .text(row.state().name())
                    .number(row.attempt())
                    .number(row.preemptions())
                    .number(row.submittedMillis())
                    .number(row.sinceMillis())
                    .number(row.firstStartMillis())
                    .number(row.finishedMillis())
                    .number(row.waitMillis())
                    .number(row.runMillis())
                    .text(row.held())
                    .number(row.onHold() ? 1 : 0)
                    .numberOrNull(row.exitCode())
                    .text(row.detail())
                    .number(row.arrayId())
                    .number(row.arrayIndex()),
            from -> new JobRow(
                    from.number(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.whole(),
                    from.whole(),
                    JobState.valueOf(from.text()),
                    from.whole(),
                    from.whole(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.text(),
                    from.whole() != 0,
                    from.wholeOrNull(),
                    from.text(),
                    from.number(),
                    from.whole(),
                    from.text()));

    static final Table<Map.Entry<Long, String>> SPEC = new Table<>(
            "spec",
            "job body",
            1,
            (row, to) -> to.number(row.getKey()).text(row.getValue()),
            from -> Map.entry(from.number(), from.text()));

    static final Table<RunRow> RUN = new Table<>(
            "run",
            "job attempt gpus started_millis running_millis pausing_millis left_millis outcome exit_code signal detail"
                    + " load_millis useful_millis lost_millis pause_millis saved_work_millis beneficiary gain_millis"
                    + " cost_millis measured",
            2,
            (row, to) -> to.number(row.jobId())
                    .number(row.attempt())
                    .text(row.gpus())
                    .number(row.startedMillis())
                    .number(row.runningMillis())
                    .number(row.pausingMillis())
                    .number(row.leftMillis())
                    .text(row.outcome())
                    .numberOrNull(row.exitCode())
                    .number(row.signal())
                    .text(row.detail())
                    .number(row.loadMillis())
                    .number(row.usefulMillis())
                    .number(row.lostMillis())
                    .number(row.pauseMillis())
                    .number(row.savedWorkMillis())
                    .number(row.beneficiary())
                    .number(row.gainMillis())
                    .number(row.costMillis())
                    .text(row.measured()),
            from -> new RunRow(
                    from.number(),
                    from.whole(),
                    from.text(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.text(),
                    from.wholeOrNull(),
                    from.whole(),
                    from.text(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.text()));

    static final Table<Submission> SUBMISSION = new Table<>(
            "submission",
            "owner submission_key digest first_job jobs at_millis",
            2,
            (row, to) -> to.text(row.user())
                    .text(row.key())
                    .text(row.digest())
                    .number(row.firstJob())
                    .number(row.jobs())
                    .number(row.atMillis()),
            from -> new Submission(from.text(), from.text(), from.text(), from.number(), from.whole(), from.number()));

    /** The database numbers its rows: they are read with {@code seq} before these columns. */
    static final Table<AuditRow> AUDIT = new Table<>(
            "audit",
            "at_millis owner role origin action target result",
            0,
            (row, to) -> to.number(row.atMillis())
                    .text(row.user())
                    .text(row.role())
                    .text(row.from())
                    .text(row.action())
                    .text(row.target())
                    .text(row.result()),
            from -> new AuditRow(
                    from.number(),
                    from.number(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text()));

    static final Table<TokenRow> TOKEN = new Table<>(
            "token",
            "id sha256 owner role label created_millis expires_millis revoked_millis",
            1,
            (row, to) -> to.text(row.id())
                    .text(row.sha256())
                    .text(row.user())
                    .text(row.role())
                    .text(row.label())
                    .number(row.createdMillis())
                    .number(row.expiresMillis())
                    .number(row.revokedMillis()),
            from -> new TokenRow(
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.text(),
                    from.number(),
                    from.number(),
                    from.number()));

    static final Table<KindRow> KIND = new Table<>(
            "kind",
            "command model gpu_type gpus at_millis body",
            4,
            (row, to) -> to.text(row.command())
                    .text(row.model())
                    .text(row.gpuType())
                    .number(row.gpus())
                    .number(row.atMillis())
                    .text(row.body()),
            from -> new KindRow(from.text(), from.text(), from.text(), from.whole(), from.number(), from.text()));

    static final Table<EstimateRow> ESTIMATE = new Table<>(
            "estimate",
            "job moment at_millis source done_millis p10_millis p50_millis p90_millis truth_millis",
            2,
            (row, to) -> to.number(row.jobId())
                    .text(row.moment())
                    .number(row.atMillis())
                    .text(row.source())
                    .number(row.doneMillis())
                    .number(row.p10Millis())
                    .number(row.p50Millis())
                    .number(row.p90Millis())
                    .number(row.truthMillis()),
            from -> new EstimateRow(
                    from.number(),
                    from.text(),
                    from.number(),
                    from.text(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number(),
                    from.number()));

    private Tables() {}
}
