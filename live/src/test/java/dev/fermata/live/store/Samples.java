package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Rows made up for tests. */
public final class Samples {
    /** Everything that ever broke somebody's database. */
    public static final String NASTY =
            "'; DROP TABLE job; -- \"x\" \\ %_ $1 ?1 {key} \u0001\u0007\u001b[31m\r\n\t\u007f é ß \u202e \uFFFF 🎼𝄐 <b>&amp;";

    private Samples() {}

    public static Line line(long seq, long job, String kind) {
        return new Line(seq, 1000 + seq, job, 1, "policy", kind, "{\"seq\":" + seq + "}");
    }

    public static JobRow job(long id, String user, JobState state) {
        boolean ended = state.isFinal();
        return new JobRow(
                id,
                "job-" + id,
                user,
                "research",
                "batch",
                4,
                50,
                state,
                1,
                0,
                1000 + id,
                2000 + id,
                1500,
                ended ? 9000 + id : -1,
                500,
                700,
                "",
                false,
                ended ? Integer.valueOf(0) : null,
                "",
                -1,
                0,
                "{\"run\":\"sleep " + id + "\"}");
    }

    public static RunRow run(long job, int attempt) {
        return new RunRow(job, attempt, "0,1", 1, 2, 3, 4, "PAUSED", 75, 15, "saved", 5, 6, 7, 8, 9, 10, 11, 12, "");
    }

    public static Batch lines(Line... lines) {
        return new Batch(List.of(lines), List.of(), List.of(), List.of(), List.of());
    }

    /** A batch that submits jobs, a line each. */
    public static Batch submitted(long firstSeq, long firstJob, int count, String user) {
        List<Line> lines = new ArrayList<>();
        List<JobRow> jobs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lines.add(line(firstSeq + i, firstJob + i, "Submitted"));
            jobs.add(job(firstJob + i, user, JobState.PENDING));
        }
        return new Batch(lines, jobs, List.of(), List.of(), List.of());
    }

    /** A job in which everything is drawn. */
    public static JobRow drawn(Random random, long id) {
        List<JobState> states = List.of(JobState.values());
        JobState state = states.get(random.nextInt(states.size()));
        String[] queues = {"", "research", "research/nlp", "research/nlp/deep", "researcher", "prod", "prod/ü🎼"};
        return new JobRow(
                id,
                "run" + random.nextInt(20) + (random.nextBoolean() ? "%_Bert" : "bert"),
                "user" + random.nextInt(4),
                queues[random.nextInt(queues.length)],
                random.nextBoolean() ? "trial" : "batch",
                1 + random.nextInt(8),
                random.nextInt(100),
                state,
                random.nextInt(3),
                random.nextInt(3),
                random.nextInt(10_000),
                random.nextInt(10_000),
                -1,
                state.isFinal() ? random.nextInt(500) : -1,
                random.nextInt(),
                random.nextLong(),
                "",
                random.nextBoolean(),
                random.nextBoolean() ? null : random.nextInt(256),
                "",
                random.nextInt(4) == 0 ? random.nextInt(5) : -1,
                random.nextInt(9),
                "{}");
    }

    public static JobQuery everything(int limit) {
        return new JobQuery(Set.of(), "", "", "", -1, Long.MAX_VALUE, limit);
    }

    public static LineQuery allLines(long after, int limit) {
        return new LineQuery(after, 0, -1, "", Set.of(), limit);
    }
}
