package dev.fermata.live.learning;

import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.scheduler.Scheduler;
import dev.fermata.history.EstimateCalibration;
import dev.fermata.history.RemainingTime;
import dev.fermata.history.RemainingTime.EstimateSource;
import dev.fermata.history.RemainingTimeEstimator;
import dev.fermata.live.store.EstimateRow;
import dev.fermata.live.store.Store;
import dev.fermata.live.store.StoreException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Estimates of the remaining work of live jobs, taken at fixed moments. When a job completes, they are stored together
 * with its actual work. Only the scheduler loop's thread uses it. A restart loses the estimates of live jobs.
 */
public final class EstimateTracker {
    private static final Logger LOG = LoggerFactory.getLogger(EstimateTracker.class);
    /** Jobs with a shorter estimate are estimated only once. */
    private static final long MIN_REPEATED_MILLIS = 8_000;
    /** Estimates that are due within this time are taken together; a younger estimate is used again. */
    private static final long BATCH_MILLIS = 1_000;

    private static final int MAX_RECALLED = 2_000;
    private static final List<String> LATER_MOMENTS = List.of("quarter", "half", "late");

    /** The next estimate of a running job. */
    private record DueEstimate(long atMillis, long job, int attempt, String moment) {}

    private final Scheduler scheduler;
    private final RemainingTimeEstimator estimator;
    private final EstimateCalibration calibration;
    private final Map<Long, List<EstimateRow>> openEstimates = new HashMap<>();
    private final PriorityQueue<DueEstimate> due = new PriorityQueue<>(Comparator.comparingLong(DueEstimate::atMillis));

    public EstimateTracker(Scheduler scheduler, RemainingTimeEstimator estimator) {
        this.scheduler = scheduler;
        this.estimator = estimator;
        this.calibration = estimator.calibration();
    }

    /** Restores the calibration from the stored estimates. */
    public static EstimateCalibration readCalibration(Store.StoreReader reader) {
        EstimateCalibration calibration = new EstimateCalibration();
        try {
            for (EstimateRow row : reader.settledEstimates(0, MAX_RECALLED)) {
                calibration.addSample(EstimateSource.valueOf(row.source()), row.p50Millis(), row.actualMillis());
            }
        } catch (StoreException | IllegalArgumentException e) {
            LOG.warn("estimate calibration: stored estimates cannot be read, defaults are used: {}", e.getMessage());
        }
        return calibration;
    }

    public void accept(HistoryRecord record, LearningOutput output) {
        switch (record.type()) {
            case SUBMITTED -> estimate(scheduler.job(record.jobId()), "submit", output.nowMillis());
            case RUNNING -> recordRunning((HistoryRecord.Running) record, output.nowMillis());
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded ended = (HistoryRecord.AttemptEnded) record;
                if (ended.next().isFinal()) {
                    settle(ended, output);
                }
            }
            case JOB_ENDED -> openEstimates.remove(record.jobId());
            case JOB_REJECTED,
                    STARTED,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
                    RESERVED,
                    RESERVATION_RELEASED,
                    PREEMPTING,
                    PREEMPTION_DECLINED,
                    PROFILED,
                    CANCELLING,
                    CAPACITY_CHANGED,
                    DRAIN_CHANGED,
                    NODE_ADDED,
                    NODE_REMOVED,
                    NODE_CHANGED,
                    REACHABILITY_CHANGED,
                    FOREIGN_LOAD_CHANGED,
                    CLUSTER_CHANGED,
                    START_FAILED,
                    SUSPEND_FAILED,
                    SUSPENSION_ENDED,
                    ACTION_REJECTED -> {}
        }
    }

    /** Takes the estimates that are due. */
    public void estimateDue(long nowMillis) {
        for (DueEstimate next = due.peek(); next != null && next.atMillis() <= nowMillis; next = due.peek()) {
            due.remove();
            JobView job = scheduler.job(next.job());
            if (job != null && job.state() == JobState.RUNNING && job.attempt() == next.attempt()) {
                estimate(job, next.moment(), nowMillis);
            }
        }
    }

    public long nextMillis() {
        DueEstimate next = due.peek();
        return next == null ? Long.MAX_VALUE : next.atMillis();
    }

    private void recordRunning(HistoryRecord.Running running, long nowMillis) {
        JobView job = scheduler.job(running.jobId());
        if (job == null) {
            return;
        }
        List<EstimateRow> rows = openEstimates.getOrDefault(running.jobId(), List.of());
        if (rows.stream().noneMatch(row -> row.moment().equals("start"))) {
            long expected = estimateAtStart(job, rows, nowMillis);
            for (int i = 0; i < LATER_MOMENTS.size() && expected >= MIN_REPEATED_MILLIS; i++) {
                long at = nowMillis + expected * (i + 1) / (LATER_MOMENTS.size() + 1);
                long together = (at + BATCH_MILLIS - 1) / BATCH_MILLIS * BATCH_MILLIS;
                due.add(new DueEstimate(together, running.jobId(), running.attempt(), LATER_MOMENTS.get(i)));
            }
        }
    }

    /** A job that starts as soon as it is submitted is estimated once. */
    private long estimateAtStart(JobView job, List<EstimateRow> rows, long nowMillis) {
        EstimateRow last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
        if (last == null
                || nowMillis - last.atMillis() > BATCH_MILLIS
                || last.doneMillis() != job.doneWorkMillis(nowMillis)) {
            return estimate(job, "start", nowMillis).p50Millis();
        }
        rows.add(last.withMoment("start", nowMillis));
        return last.p50Millis();
    }

    private RemainingTime estimate(@Nullable JobView job, String moment, long nowMillis) {
        if (job == null) {
            return new RemainingTime(1, 1, 1, EstimateSource.ASSUMED);
        }
        RemainingTime expected = estimator.remaining(job, nowMillis);
        openEstimates
                .computeIfAbsent(job.id(), unused -> new ArrayList<>(2))
                .add(new EstimateRow(
                        job.id(),
                        moment,
                        nowMillis,
                        expected.source().name(),
                        job.doneWorkMillis(nowMillis),
                        new EstimateRow.WorkQuantiles(expected.p10Millis(), expected.p50Millis(), expected.p90Millis()),
                        -1));
        return expected;
    }

    /** Stores the estimates of a completed job. The total work of any other job is unknown. */
    private void settle(HistoryRecord.AttemptEnded ended, LearningOutput output) {
        List<EstimateRow> rows = openEstimates.remove(ended.jobId());
        if (rows == null || ended.next() != JobState.COMPLETED) {
            return;
        }
        for (EstimateRow row : rows) {
            long actual = Math.max(0, ended.usage().savedWorkMillis() - row.doneMillis());
            output.addEstimateRow(row.withActual(actual));
            calibration.addSample(EstimateSource.valueOf(row.source()), row.p50Millis(), actual);
        }
    }
}
