package dev.fermata.live.conductor;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.Outcome;
import dev.fermata.core.contract.Usage;
import dev.fermata.core.model.Allocation;
import dev.fermata.live.engine.News;
import dev.fermata.live.learn.Measured;
import dev.fermata.live.store.RunRow;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The latest attempt of a live job. Belongs to the conductor's thread. */
final class LiveRun {
    private static final long NOBODY = -1;
    private static final long A_MOMENT_MILLIS = 1_000;

    final long jobId;
    final int attempt;
    final Allocation allocation;
    final long startedMillis;
    long runningMillis = -1;
    long pausingMillis = -1;
    /** Whether others were on its GPUs at some time. */
    boolean accompanied;
    /** When another pace of it was last told, and which kinds worked beside it then. */
    long pacedMillis;

    @Nullable
    List<String> pacedBeside;

    long beneficiary = NOBODY;
    private long gainMillis;
    private long costMillis;
    private long leftMillis = -1;
    private @Nullable Outcome outcome;
    private Usage usage = Usage.NOTHING;
    private News.@Nullable Exit exit;
    private String measured = "";

    /** What its kind has learned from it already; null for nothing. */
    @Nullable
    Measured shown;

    LiveRun(long jobId, int attempt, Allocation allocation, long startedMillis) {
        this.jobId = jobId;
        this.attempt = attempt;
        this.allocation = allocation;
        this.startedMillis = startedMillis;
    }

    /**
     * How long it ran before it was said to run. That a script has loaded is seen a moment later, which counts as loading; but one that no
     * longer says so, as others like it did, is waited for in vain.
     */
    long unseenRunMillis(Usage told, long endedMillis) {
        long stopped = pausingMillis >= 0 ? pausingMillis : endedMillis;
        long counted = runningMillis < 0 ? 0 : Math.max(0, stopped - runningMillis);
        long unseen = told.ranMillis() - counted;
        return unseen > A_MOMENT_MILLIS ? unseen : 0;
    }

    /** An attempt that was on GPUs when its row was last written. */
    LiveRun(RunRow row, Allocation allocation) {
        this(row.jobId(), row.attempt(), allocation, row.startedMillis());
        runningMillis = row.runningMillis();
        pausingMillis = row.pausingMillis();
        beneficiary = row.beneficiary();
        gainMillis = row.gainMillis();
        costMillis = row.costMillis();
        accompanied = allocation.shared(); // nobody remembers whether anybody came
        measured = row.measured();
    }

    static String numbers(Allocation allocation) {
        return Arrays.stream(allocation.toArray()).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    void pausing(Fact.Pausing fact, long nowMillis) {
        pausingMillis = nowMillis;
        beneficiary = fact.beneficiary();
        gainMillis = fact.gainMillis();
        costMillis = fact.costMillis();
    }

    /** It has shown what its kind needs and goes, for its own sake. */
    void profiled(long nowMillis) {
        pausingMillis = nowMillis;
        beneficiary = jobId;
    }

    /** Its kind learned this from it, though it goes on. */
    void shows(Measured soFar, String asText) {
        shown = soFar;
        measured = asText;
    }

    void left(Fact.Left fact, News.@Nullable Exit how, String shown, long nowMillis) {
        leftMillis = nowMillis;
        outcome = fact.outcome();
        usage = fact.usage();
        exit = how;
        measured = shown;
    }

    /** Whether it was asked to leave for the sake of another job. */
    boolean preempted() {
        return beneficiary != NOBODY && beneficiary != jobId;
    }

    RunRow row() {
        return new RunRow(
                jobId,
                attempt,
                numbers(allocation),
                startedMillis,
                runningMillis,
                pausingMillis,
                leftMillis,
                outcome == null ? "" : outcome.name(),
                exit == null ? null : exit.code(),
                exit == null ? 0 : exit.signal(),
                exit == null ? "" : exit.detail(),
                usage.loadMillis(),
                usage.usefulMillis(),
                usage.lostMillis(),
                usage.pauseMillis(),
                usage.savedWorkMillis(),
                beneficiary,
                gainMillis,
                costMillis,
                measured);
    }
}
