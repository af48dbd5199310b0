package dev.fermata.live.conductor;

import dev.fermata.core.contract.Fact;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.cycle.Scheduler;
import dev.fermata.live.learn.Calibration;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.learn.RemainingTime.Source;
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
 * What was expected of live jobs at some moments of their lives: kept until they end, then held against the truth and written down
 * with it. Belongs to the conductor's thread. What was expected of jobs that a crash interrupts is forgotten; it is asked anew.
 */
final class Expectations {
    private static final Logger LOG = LoggerFactory.getLogger(Expectations.class);
    /** Shorter jobs are over before it is worth asking again. */
    private static final long WORTH_ASKING_AGAIN_MILLIS = 8_000;
    /** Those who are due within this time are asked together; what was expected so short a while ago is still expected. */
    private static final long TOGETHER_MILLIS = 1_000;

    private static final int RECALLED = 2_000;
    private static final List<String> LATER = List.of("quarter", "half", "late");

    /** A job is to be asked about again. */
    private record Due(long atMillis, long job, int attempt, String moment) {}

    private final Scheduler scheduler;
    private final LiveEstimator estimator;
    private final Calibration calibration;
    private final Map<Long, List<EstimateRow>> open = new HashMap<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>(Comparator.comparingLong(Due::atMillis));

    Expectations(Scheduler scheduler, LiveEstimator estimator, Calibration calibration) {
        this.scheduler = scheduler;
        this.estimator = estimator;
        this.calibration = calibration;
    }

    /** How far from the truth earlier estimates were, as the store has it. */
    static Calibration calibration(Store.Reader reader) {
        Calibration calibration = new Calibration();
        try {
            for (EstimateRow row : reader.settledEstimates(0, RECALLED)) {
                calibration.settle(Source.valueOf(row.source()), row.p50Millis(), row.truthMillis());
            }
        } catch (StoreException | IllegalArgumentException e) {
            LOG.warn("how good earlier estimates were cannot be read: {}", e.getMessage());
        }
        return calibration;
    }

    void heard(Fact fact, Turn turn) {
        if (fact instanceof Fact.Submitted) {
            expect(scheduler.job(fact.jobId()), "submit", turn.nowMillis);
        } else if (fact instanceof Fact.Running running) {
            begun(running, turn.nowMillis);
        } else if (fact instanceof Fact.Left left && left.next().isFinal()) {
            ended(left, turn);
        } else if (fact instanceof Fact.Ended) {
            open.remove(fact.jobId());
        }
    }

    /** Asks about those who are due. */
    void look(long nowMillis) {
        for (Due next = due.peek(); next != null && next.atMillis() <= nowMillis; next = due.peek()) {
            due.remove();
            JobView job = scheduler.job(next.job());
            if (job != null && job.state() == JobState.RUNNING && job.attempt() == next.attempt()) {
                expect(job, next.moment(), nowMillis);
            }
        }
    }

    long nextMillis() {
        Due next = due.peek();
        return next == null ? Long.MAX_VALUE : next.atMillis();
    }

    private void begun(Fact.Running running, long nowMillis) {
        JobView job = scheduler.job(running.jobId());
        if (job == null) {
            return;
        }
        List<EstimateRow> rows = open.getOrDefault(running.jobId(), List.of());
        if (rows.stream().noneMatch(row -> row.moment().equals("start"))) {
            long expected = started(job, rows, nowMillis);
            for (int i = 0; i < LATER.size() && expected >= WORTH_ASKING_AGAIN_MILLIS; i++) {
                long at = nowMillis + expected * (i + 1) / (LATER.size() + 1);
                long together = (at + TOGETHER_MILLIS - 1) / TOGETHER_MILLIS * TOGETHER_MILLIS;
                due.add(new Due(together, running.jobId(), running.attempt(), LATER.get(i)));
            }
        }
    }

    /** Most jobs of an idle cluster start as they come: they are asked about once. */
    private long started(JobView job, List<EstimateRow> rows, long nowMillis) {
        EstimateRow last = rows.isEmpty() ? null : rows.get(rows.size() - 1);
        if (last == null
                || nowMillis - last.atMillis() > TOGETHER_MILLIS
                || last.doneMillis() != job.doneWorkMillis(nowMillis)) {
            return expect(job, "start", nowMillis).p50Millis();
        }
        rows.add(last.at("start", nowMillis));
        return last.p50Millis();
    }

    private RemainingTime expect(@Nullable JobView job, String moment, long nowMillis) {
        if (job == null) {
            return new RemainingTime(1, 1, 1, Source.ASSUMED);
        }
        RemainingTime expected = estimator.remaining(job, nowMillis);
        open.computeIfAbsent(job.id(), unused -> new ArrayList<>(2))
                .add(new EstimateRow(
                        job.id(),
                        moment,
                        nowMillis,
                        expected.source().name(),
                        job.doneWorkMillis(nowMillis),
                        expected.p10Millis(),
                        expected.p50Millis(),
                        expected.p90Millis(),
                        -1));
        return expected;
    }

    /** Of jobs that did not end by themselves nobody knows how long they would have run. */
    private void ended(Fact.Left left, Turn turn) {
        List<EstimateRow> rows = open.remove(left.jobId());
        if (rows == null || left.next() != JobState.COMPLETED) {
            return;
        }
        for (EstimateRow row : rows) {
            long truth = Math.max(0, left.usage().savedWorkMillis() - row.doneMillis());
            turn.estimates.add(row.withTruth(truth));
            calibration.settle(Source.valueOf(row.source()), row.p50Millis(), truth);
        }
    }
}
