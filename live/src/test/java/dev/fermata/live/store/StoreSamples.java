package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import dev.fermata.history.HistoryEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Sample rows for tests. */
public final class StoreSamples {
    /** Characters that are special to databases and terminals. */
    public static final String SPECIAL_CHARACTERS =
            "'; DROP TABLE job; -- \"x\" \\ %_ $1 ?1 {key} \u0001\u0007\u001b[31m\r\n\t\u007f é ß \u202e \uFFFF 🎼𝄐 <b>&amp;";

    private StoreSamples() {}

    static final AuditRow AUDIT = new AuditRow(0, 1, "ada", "ADMIN", "here", "token", "token t", "granted");

    public static HistoryEntry entry(long seq, long job, String type) {
        return new HistoryEntry(seq, 1000 + seq, job, 1, "policy", type, "{\"seq\":" + seq + "}");
    }

    public static JobRow job(long id, String user, JobState state) {
        boolean ended = state.isFinal();
        return new JobRow(
                id,
                new JobRow.RequestColumns("job-" + id, user, "research", "batch", 4, 50, -1, 0),
                new JobRow.StatusColumns(state, 1, 0, "", false, ended ? Integer.valueOf(0) : null, ""),
                new JobRow.TimeColumns(1000 + id, 2000 + id, 1500, ended ? 9000 + id : -1, 500, 700),
                "{\"run\":\"sleep " + id + "\"}");
    }

    public static AttemptRow attempt(long job, int attempt) {
        return new AttemptRow(
                job,
                attempt,
                new AttemptRow.AttemptPlace("0,1", 2, "pid-" + job, "GPU-a,GPU-b", ""),
                new AttemptRow.AttemptTimes(1, 2, 3, 4),
                new AttemptRow.AttemptResult("PREEMPTED", 75, 15, "saved"),
                new AttemptRow.AttemptCosts(5, 6, 7, 8, 9),
                new AttemptRow.PreemptionTrade(10, 11, 12),
                "");
    }

    /** The first attempt of a job, with nothing but its measurements. */
    static AttemptRow runningAttempt(long job, String measurements) {
        return new AttemptRow(
                job,
                1,
                AttemptRow.AttemptPlace.ordered(""),
                new AttemptRow.AttemptTimes(0, 0, 0, 0),
                new AttemptRow.AttemptResult("", null, 0, ""),
                new AttemptRow.AttemptCosts(0, 0, 0, 0, 0),
                new AttemptRow.PreemptionTrade(0, 0, 0),
                measurements);
    }

    public static Batch entries(HistoryEntry... entries) {
        return new Batch(List.of(entries), List.of(), List.of(), List.of(), List.of());
    }

    /** A batch that submits jobs, with one entry each. */
    public static Batch submissionBatch(long firstSeq, long firstJob, int count, String user) {
        List<HistoryEntry> entries = new ArrayList<>();
        List<JobRow> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            entries.add(entry(firstSeq + i, firstJob + i, "Submitted"));
            jobs.add(job(firstJob + i, user, JobState.PENDING));
        }
        return new Batch(entries, jobs, List.of(), List.of(), List.of());
    }

    /** A job with random values. */
    public static JobRow randomJob(Random random, long id) {
        List<JobState> states = List.of(JobState.values());
        JobState state = states.get(random.nextInt(states.size()));
        String[] queues = {"", "research", "research/nlp", "research/nlp/deep", "researcher", "prod", "prod/ü🎼"};
        return new JobRow(
                id,
                new JobRow.RequestColumns(
                        "attempt" + random.nextInt(20) + (random.nextBoolean() ? "%_Bert" : "bert"),
                        "user" + random.nextInt(4),
                        queues[random.nextInt(queues.length)],
                        random.nextBoolean() ? "trial" : "batch",
                        1 + random.nextInt(8),
                        random.nextInt(100),
                        random.nextInt(4) == 0 ? random.nextInt(5) : -1,
                        random.nextInt(9)),
                new JobRow.StatusColumns(
                        state,
                        random.nextInt(3),
                        random.nextInt(3),
                        "",
                        random.nextBoolean(),
                        random.nextBoolean() ? null : random.nextInt(256),
                        ""),
                new JobRow.TimeColumns(
                        random.nextInt(10_000),
                        random.nextInt(10_000),
                        -1,
                        state.isFinal() ? random.nextInt(500) : -1,
                        random.nextInt(),
                        random.nextLong()),
                "{}");
    }

    public static JobQuery allJobs(int limit) {
        return new JobQuery(Set.of(), "", "", "", -1, Long.MAX_VALUE, limit);
    }

    public static HistoryQuery allEntries(long after, int limit) {
        return new HistoryQuery(after, 0, -1, "", Set.of(), limit);
    }
}
