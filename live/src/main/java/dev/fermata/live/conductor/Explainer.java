package dev.fermata.live.conductor;

import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.Reason;
import dev.fermata.core.contract.Verdict;
import dev.fermata.live.learn.RemainingTime;
import dev.fermata.live.store.JobRow;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Says in words and numbers why a job is where it is. */
final class Explainer {
    private Explainer() {}

    /** A job in the queue. */
    static Explanation pending(JobRow job, Verdict verdict, int position, long nowMillis) {
        Map<String, Object> evidence = new LinkedHashMap<>();
        numbers(verdict, evidence, nowMillis);
        evidence.put("waitedSeconds", seconds(job.waitMillis() + nowMillis - job.sinceMillis()));
        if (job.preemptions() > 0) {
            evidence.put("preemptions", job.preemptions());
        }
        return new Explanation(
                job.id(),
                job.state(),
                verdict.reason().name(),
                message(verdict, nowMillis),
                evidence,
                unblockedBy(verdict, job, nowMillis),
                position);
    }

    private static String message(Verdict verdict, long nowMillis) {
        if (verdict.reason() == Reason.WAITING_FOR_LOCALITY && verdict.untilMillis() >= 0) {
            return "needs " + verdict.needed() + " GPUs; " + verdict.available()
                    + " are free but farther apart than it accepts for another "
                    + tenths(Math.max(0, verdict.untilMillis() - nowMillis)) + " s";
        }
        if (verdict.reason() == Reason.PREEMPTION_PENDING && verdict.untilMillis() >= 0) {
            return verdict.available() + " of its " + verdict.needed() + " GPUs are free; it waits for job "
                    + verdict.ahead() + " to save and leave the rest, for another "
                    + seconds(Math.max(0, verdict.untilMillis() - nowMillis)) + " s at most";
        }
        if (verdict.reason() == Reason.PROFILE_PENDING) {
            return "waits for the profile of its kind, which job " + verdict.ahead() + " takes, for another "
                    + seconds(Math.max(0, verdict.untilMillis() - nowMillis)) + " s at most";
        }
        return verdict.message();
    }

    private static void numbers(Verdict verdict, Map<String, Object> evidence, long nowMillis) {
        switch (verdict.reason()) {
            case MEMORY -> {
                evidence.put("neededMib", verdict.needed());
                evidence.put("bestGpuLeftMib", verdict.available());
            }
            case PREEMPTION_NOT_WORTH_IT -> {
                evidence.put("costSeconds", seconds(verdict.needed()));
                evidence.put("gainSeconds", seconds(verdict.available()));
                evidence.put("jobsToPause", verdict.ahead());
            }
            case DEPENDENCY -> {
                evidence.put("jobsToEnd", verdict.needed());
                evidence.put("firstOfThem", verdict.ahead());
            }
            case ARRAY_LIMIT -> {
                evidence.put("arrayLimit", verdict.needed());
                evidence.put("arrayJobsOnGpus", verdict.available());
            }
            case PROFILE_PENDING -> evidence.put("profiledBy", verdict.ahead());
            case HELD, NOT_YET_CONSIDERED -> {}
            case PRIORITY -> {
                gpus(verdict, evidence);
                evidence.put("jobsAhead", verdict.ahead());
            }
            case RESERVATION -> {
                gpus(verdict, evidence);
                evidence.put("reservedForJob", verdict.ahead());
            }
            case PREEMPTION_PENDING -> {
                gpus(verdict, evidence);
                if (verdict.untilMillis() >= 0) {
                    evidence.put("waitsForJob", verdict.ahead());
                }
            }
            default -> gpus(verdict, evidence);
        }
        if (verdict.untilMillis() >= 0) {
            evidence.put("expectedToEndInSeconds", seconds(Math.max(0, verdict.untilMillis() - nowMillis)));
        }
    }

    private static void gpus(Verdict verdict, Map<String, Object> evidence) {
        evidence.put("neededGpus", verdict.needed());
        evidence.put("availableGpus", verdict.available());
    }

    private static String unblockedBy(Verdict verdict, JobRow job, long nowMillis) {
        long missing = Math.max(1, verdict.needed() - verdict.available());
        return switch (verdict.reason()) {
            case UNSATISFIABLE ->
                "nothing on this cluster; cancel it and submit it with at most " + verdict.available() + " GPUs";
            case HELD -> "its release: fermata release " + job.id();
            case DEPENDENCY ->
                "the end of job " + verdict.ahead()
                        + (verdict.needed() > 1 ? " and " + (verdict.needed() - 1) + " more" : "");
            case ARRAY_LIMIT -> "the end of a job of its array (" + job.arrayId() + ")";
            case PROFILE_PENDING -> "the profile that job " + verdict.ahead() + " takes, or its wait for it being over";
            case QUEUE_LIMIT ->
                "jobs of queue " + job.queue() + " ending on " + missing + " GPUs, or a higher limit of the queue";
            case QUEUE_SHARE ->
                "other queues asking for less, or jobs of queue " + job.queue() + " ending on " + missing + " GPUs";
            case PREEMPTION_PENDING ->
                "the jobs that are leaving its GPUs: they have been asked to; if one takes too long, other GPUs that"
                        + " become free";
            case PRIORITY -> "the jobs before it starting or ending; a higher priority would move it ahead";
            case RESOURCES -> "jobs ending on " + missing + " more GPUs";
            case FRAGMENTED -> "jobs ending next to GPUs that are free, so that " + verdict.needed() + " are together";
            case WAITING_FOR_LOCALITY ->
                verdict.untilMillis() >= 0
                        ? "closer GPUs becoming free, or " + tenths(Math.max(0, verdict.untilMillis() - nowMillis))
                                + " s more of waiting: then it takes what there is"
                        : "closer GPUs becoming free";
            case HOST_RESOURCES -> "jobs ending on nodes whose GPUs are free, or asking for less CPU or RAM";
            case MEMORY -> "a GPU whose jobs leave " + verdict.needed() + " MiB free";
            case RESERVATION -> "the start of job " + verdict.ahead() + ", for which GPUs are kept";
            case PREEMPTION_NOT_WORTH_IT -> "jobs ending by themselves, or becoming cheap enough to pause";
            case NOT_YET_CONSIDERED -> "the next decision, in a moment";
        };
    }

    /** A job on GPUs. */
    static Explanation onGpus(
            JobRow job,
            @Nullable Progress progress,
            @Nullable RemainingTime remaining,
            long beneficiary,
            boolean profiled,
            long nowMillis) {
        Map<String, Object> evidence = new LinkedHashMap<>();
        evidence.put("gpus", job.held());
        evidence.put("attempt", job.attempt());
        evidence.put("sinceSeconds", seconds(nowMillis - job.sinceMillis()));
        long ran = job.runMillis() + (job.state() == JobState.RUNNING ? nowMillis - job.sinceMillis() : 0);
        evidence.put("ranSeconds", seconds(ran));
        String where = " on GPU" + (job.held().contains(",") ? "s " : " ") + job.held();
        String trial = profiled ? "; it is being profiled, the first of its kind" : "";
        String message = switch (job.state()) {
            case STARTING -> "is being started" + where + trial;
            case RUNNING -> "runs" + where + steps(progress, evidence) + trial;
            default ->
                beneficiary == job.id()
                        ? "was asked to save and leave" + where + ", to be placed anew"
                        : beneficiary >= 0
                                ? "was asked to save and leave" + where + " for job " + beneficiary
                                : "is being ended" + where;
        };
        if (profiled) {
            evidence.put("beingProfiled", true);
        }
        if (remaining != null) {
            evidence.put("remainingSeconds", seconds(remaining.p50Millis()));
            evidence.put("remainingP90Seconds", seconds(remaining.p90Millis()));
            evidence.put("remainingSource", remaining.source().name());
        }
        if (job.state() == JobState.PAUSING && beneficiary >= 0) {
            evidence.put("beneficiary", beneficiary);
        }
        return new Explanation(job.id(), job.state(), job.state().name(), message, evidence, "", 0);
    }

    private static String steps(@Nullable Progress progress, Map<String, Object> evidence) {
        if (progress == null) {
            return "";
        }
        evidence.put("step", progress.step());
        if (progress.total() > 0) {
            evidence.put("totalSteps", progress.total());
        }
        if (!Double.isNaN(progress.metric())) {
            evidence.put(progress.metricName().isEmpty() ? "metric" : progress.metricName(), progress.metric());
        }
        return ", at step " + progress.step() + (progress.total() > 0 ? " of " + progress.total() : "");
    }

    /** A job that has ended. */
    static Explanation ended(JobRow job) {
        Map<String, Object> evidence = new LinkedHashMap<>();
        if (job.exitCode() != null) {
            evidence.put("exitCode", job.exitCode());
        }
        evidence.put("attempts", job.attempt());
        evidence.put("ranSeconds", seconds(job.runMillis()));
        evidence.put("waitedSeconds", seconds(job.waitMillis()));
        String how = switch (job.state()) {
            case COMPLETED -> "has completed";
            case FAILED -> "has failed" + (job.exitCode() == null ? "" : " with exit code " + job.exitCode());
            case CANCELLED -> "was cancelled";
            case TIMEOUT -> "was stopped at its time limit";
            case OOM -> "ran out of memory";
            default -> "can never run here";
        };
        String message = job.detail().isEmpty() ? how : how + ": " + job.detail();
        return new Explanation(job.id(), job.state(), job.state().name(), message, evidence, "", 0);
    }

    /** To the millisecond: what is told can be found in the history. */
    private static double seconds(long millis) {
        return millis / 1000.0;
    }

    private static double tenths(long millis) {
        return Math.rint(millis / 100.0) / 10;
    }
}
