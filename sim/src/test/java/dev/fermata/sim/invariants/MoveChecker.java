package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.scheduler.Scheduler;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes from true durations and records alone what each move saves a job, and compares it with what the move costs. Only
 * for scenarios with known durations, in which no job is updated or stopped by a limit.
 */
final class MoveChecker implements CheckedSimulation.CycleChecker {
    /** A job runs this many times its pause and load before it moves. */
    private static final int MIN_RUN_FACTOR = 9;

    private static final class MovableJob {
        final Job job;
        long savedMillis;
        long attemptMicro;
        long speed;
        long sinceMillis;
        long runningMillis;
        boolean moves;
        long paid;

        @Nullable
        Allocation held;

        MovableJob(Job job) {
            this.job = job;
        }

        void speed(long now, long micro) {
            attemptMicro += (now - sinceMillis) * speed;
            sinceMillis = now;
            speed = micro;
        }

        double doneMillis(long now) {
            return savedMillis + (double) (attemptMicro + (now - sinceMillis) * speed) / Speed.UNIT;
        }
    }

    private final RandomScenario scenario;
    private final LawAssert laws;
    private final Map<Long, MovableJob> jobs = new TreeMap<>();
    private int moves;
    private int shared;
    private int grown;

    MoveChecker(RandomScenario scenario, String policy) {
        this.scenario = scenario;
        this.laws = new LawAssert(scenario, policy);
    }

    /** Moves of jobs that shared GPUs. */
    int shared() {
        return shared;
    }

    /** Moves to more GPUs. */
    int grown() {
        return grown;
    }

    int moves() {
        return moves;
    }

    @Override
    public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
        for (HistoryRecord record : decision.records()) {
            if (record instanceof HistoryRecord.Submitted submitted) {
                jobs.put(record.jobId(), new MovableJob(submitted.job()));
            } else if (jobs.containsKey(record.jobId())) {
                onRecord(now, record, jobs.get(record.jobId()));
            }
        }
    }

    private void onRecord(long now, HistoryRecord record, MovableJob job) {
        if (record instanceof HistoryRecord.Started started) {
            job.held = started.allocation();
            job.attemptMicro = 0;
            job.speed = 0;
        } else if (record instanceof HistoryRecord.Running running) {
            job.runningMillis = now;
            job.speed(now, running.speedMicro());
        } else if (record instanceof HistoryRecord.SpeedChanged changed) {
            job.speed(now, changed.speedMicro());
        } else if (record instanceof HistoryRecord.AttemptEnded ended) {
            job.speed(now, 0);
            job.attemptMicro = 0;
            job.savedMillis = ended.usage().savedWorkMillis();
            job.held = null;
        } else if (record instanceof HistoryRecord.Preempting preempting) {
            job.moves = preempting.beneficiary() == preempting.jobId();
            job.paid = preempting.gainMillis() - preempting.costMillis();
        } else if (record instanceof HistoryRecord.Reserved reserved && job.moves) {
            job.moves = false;
            check(now, job, reserved.allocation());
        }
    }

    private void check(long now, MovableJob job, Allocation there) {
        moves++;
        grown += there.size() > job.held.size() ? 1 : 0;
        laws.require(
                there.size() >= job.held.size()
                        && there.size() <= job.job.demand().maxGpus(),
                "no job moves to fewer GPUs, or to more than it may have",
                () -> job.job.id() + " from " + job.held + " to " + there);
        long overhead = job.job.costs().preemptMillis() + job.job.costs().reloadMillis();
        double left = (scenario.job(job.job.id()).durationMillis() - job.doneMillis(now)) * Speed.UNIT / job.speed;
        double leftThere = left * alone(job.job, job.held) / alone(job.job, there);
        double rounding = 2 + 2.0 * Speed.UNIT / job.speed;
        laws.require(
                shares(job) ? job.paid > 0 : left - leftThere > overhead - rounding,
                "no job moves unless it then ends sooner, the move included",
                () -> job.job.id() + " has " + left + " ms left, there " + leftThere + ", the move takes " + overhead);
        laws.require(
                now - job.runningMillis >= MIN_RUN_FACTOR * overhead,
                "no job moves before it has run many times what the move takes",
                () -> job.job.id() + " after " + (now - job.runningMillis) + " ms, the move takes " + overhead);
    }

    /** Whether others are on its GPUs: they gain from a move as well, and it gains more. */
    private boolean shares(MovableJob job) {
        for (MovableJob other : jobs.values()) {
            for (int i = 0; other != job && other.held != null && i < other.held.size(); i++) {
                if (job.held.contains(other.held.gpu(i))) {
                    shared++;
                    return true;
                }
            }
        }
        return false;
    }

    private double alone(Job job, Allocation place) {
        return SpeedModel.speedAlone(job, place, scenario.topology()).micro();
    }
}
