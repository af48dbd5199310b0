package dev.fermata.live.service;

import dev.fermata.core.contract.Count;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.OrderChoice;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.history.RemainingTime;
import dev.fermata.live.learning.AttemptProgress;
import dev.fermata.live.state.Outages;
import dev.fermata.live.store.JobRow;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Explains the state of a job in one sentence and in figures. */
final class Explainer {
    /** Reasons that more schedulable GPUs could remove. */
    private static final Set<ReasonCode> SHORT_OF_GPUS = EnumSet.of(
            ReasonCode.QUEUE_SHARE,
            ReasonCode.PRIORITY,
            ReasonCode.RESOURCES,
            ReasonCode.FRAGMENTED,
            ReasonCode.WAITING_FOR_LOCALITY,
            ReasonCode.HOST_RESOURCES,
            ReasonCode.MEMORY,
            ReasonCode.RESERVATION,
            ReasonCode.PREEMPTION_NOT_WORTH_IT);

    /** Reasons whose text names no jobs by itself. */
    private static final Set<ReasonCode> ANY_JOBS = EnumSet.of(
            ReasonCode.ARRAY_LIMIT,
            ReasonCode.QUEUE_LIMIT,
            ReasonCode.QUEUE_SHARE,
            ReasonCode.RESOURCES,
            ReasonCode.FRAGMENTED,
            ReasonCode.HOST_RESOURCES,
            ReasonCode.MEMORY,
            ReasonCode.PREEMPTION_NOT_WORTH_IT);

    private static final int MAX_NAMED_OUTAGES = 3;
    private static final int MAX_NAMED_JOBS = 3;

    private Explainer() {}

    /** Explains a pending job. */
    static Explanation explainPending(
            JobRow job,
            PendingReason pendingReason,
            List<BlockingJob> blockedBy,
            @Nullable OrderChoice order,
            int position,
            long nowMillis) {
        Map<String, Object> evidence = new LinkedHashMap<>();
        addEvidence(pendingReason, evidence, nowMillis);
        evidence.put("waitedSeconds", seconds(job.waitMillis() + nowMillis - job.sinceMillis()));
        if (job.preemptions() > 0) {
            evidence.put("preemptions", job.preemptions());
        }
        if (order != null) {
            evidence.put("order", OrderText.of(order));
        }
        String cause = pendingReason.code() == ReasonCode.START_FAILED ? job.detail() : "";
        return new Explanation(
                job.id(),
                job.state(),
                pendingReason.code().name(),
                message(pendingReason, nowMillis) + (cause.isEmpty() ? "" : "; " + cause),
                evidence,
                unblockedBy(pendingReason, job, nowMillis) + named(pendingReason.code(), blockedBy),
                blockedBy,
                position);
    }

    /** Adds the GPUs that are down or drained, where they may keep the job from starting. */
    static Explanation withOutages(Explanation why, ReasonCode reason, Outages outages) {
        if (outages.descriptions().isEmpty() || !SHORT_OF_GPUS.contains(reason)) {
            return why;
        }
        Map<String, Object> evidence = new LinkedHashMap<>(why.evidence());
        StringBuilder message = new StringBuilder(why.message());
        addOutage(outages.downGpus(), "down", evidence, message);
        addOutage(outages.drainedGpus(), "drained", evidence, message);
        int named = Math.min(MAX_NAMED_OUTAGES, outages.descriptions().size());
        int more = outages.descriptions().size() - named;
        String unblockedBy = String.join("; ", outages.descriptions().subList(0, named))
                + (more > 0 ? "; and " + more + " more (fermata nodes)" : "")
                + (why.unblockedBy().isEmpty() ? "" : "; or " + why.unblockedBy());
        return why.with(message.toString(), evidence, unblockedBy);
    }

    private static void addOutage(int gpus, String how, Map<String, Object> evidence, StringBuilder message) {
        if (gpus > 0) {
            evidence.put(how + "Gpus", gpus);
            message.append("; ").append(Count.are(gpus)).append(' ').append(how);
        }
    }

    private static String message(PendingReason pendingReason, long nowMillis) {
        if (pendingReason instanceof PendingReason.WaitingForLocality locality) {
            return "needs " + Count.of(locality.neededGpus(), "GPU") + "; " + Count.are(locality.availableGpus())
                    + " free but farther apart than it accepts for another "
                    + tenths(millisUntil(locality.untilMillis(), nowMillis)) + " s";
        }
        if (pendingReason instanceof PendingReason.PreemptionPending pending && pending.last() != null) {
            return pending.availableGpus() + " of " + Count.of(pending.neededGpus(), "GPU") + " free; waits for job "
                    + pending.last().id() + " to save and leave the rest, for another "
                    + seconds(millisUntil(pending.last().killDeadlineMillis(), nowMillis)) + " s at most";
        }
        if (pendingReason instanceof PendingReason.ProfilePending profile) {
            return profile.message() + ", for another " + seconds(millisUntil(profile.untilMillis(), nowMillis))
                    + " s at most";
        }
        if (pendingReason instanceof PendingReason.StartFailed failed) {
            return failed.message() + "; the next attempt is due in "
                    + seconds(millisUntil(failed.retryAtMillis(), nowMillis)) + " s";
        }
        return pendingReason.message();
    }

    /** Adds what keeps the engine from accepting the orders to a job on GPUs. */
    static Explanation withOrderProblem(Explanation why, String problem) {
        return problem.isEmpty() ? why : why.with(why.message() + "; " + problem, why.evidence(), why.unblockedBy());
    }

    private static long millisUntil(long untilMillis, long nowMillis) {
        return Math.max(0, untilMillis - nowMillis);
    }

    private static void addEvidence(PendingReason pendingReason, Map<String, Object> evidence, long nowMillis) {
        if (pendingReason instanceof PendingReason.GpuCounts counts) {
            evidence.put("neededGpus", counts.neededGpus());
            evidence.put("availableGpus", counts.availableGpus());
        }
        switch (pendingReason.code()) {
            case MEMORY -> {
                PendingReason.Memory memory = (PendingReason.Memory) pendingReason;
                evidence.put("neededMib", memory.neededMib());
                evidence.put("bestGpuLeftMib", memory.bestGpuFreeMib());
            }
            case PREEMPTION_NOT_WORTH_IT -> {
                PendingReason.PreemptionNotWorthIt weighed = (PendingReason.PreemptionNotWorthIt) pendingReason;
                evidence.put("costSeconds", seconds(weighed.costMillis()));
                evidence.put("gainSeconds", seconds(weighed.gainMillis()));
                evidence.put("victims", weighed.victims());
            }
            case DEPENDENCY -> {
                PendingReason.DependencyPending dependency = (PendingReason.DependencyPending) pendingReason;
                evidence.put("openDependencies", dependency.openDependencies());
                evidence.put("firstDependency", dependency.firstDependency());
            }
            case ARRAY_LIMIT -> {
                PendingReason.ArrayLimit limit = (PendingReason.ArrayLimit) pendingReason;
                evidence.put("arrayLimit", limit.maxRunning());
                evidence.put("arrayJobsOnGpus", limit.jobsOnGpus());
            }
            case PROFILE_PENDING ->
                evidence.put("profiledBy", ((PendingReason.ProfilePending) pendingReason).profilingJob());
            case PRIORITY -> evidence.put("jobsAhead", ((PendingReason.Priority) pendingReason).jobsAhead());
            case RESERVATION ->
                evidence.put("reservedForJob", ((PendingReason.Reservation) pendingReason).reservedForJob());
            case PREEMPTION_PENDING -> {
                PendingReason.PreemptionPending.VacatingJob last =
                        ((PendingReason.PreemptionPending) pendingReason).last();
                if (last != null) {
                    evidence.put("waitsForJob", last.id());
                }
            }
            case START_FAILED -> evidence.put("failedStarts", ((PendingReason.StartFailed) pendingReason).failures());
            case HELD,
                    NO_NODES,
                    ENGINE_UNREACHABLE,
                    NOT_YET_CONSIDERED,
                    UNSATISFIABLE,
                    QUEUE_LIMIT,
                    QUEUE_SHARE,
                    RESOURCES,
                    FRAGMENTED,
                    WAITING_FOR_LOCALITY,
                    HOST_RESOURCES -> {} // the GPU counts, if any, say it all
        }
        pendingReason
                .expectedEndMillis()
                .ifPresent(until -> evidence.put("expectedToEndInSeconds", seconds(millisUntil(until, nowMillis))));
    }

    private static String unblockedBy(PendingReason pendingReason, JobRow job, long nowMillis) {
        return switch (pendingReason.code()) {
            case UNSATISFIABLE ->
                "nothing on this cluster; cancel it and submit it with at most "
                        + Count.of(((PendingReason.Unsatisfiable) pendingReason).availableGpus(), "GPU");
            case HELD -> "its release: fermata release " + job.id();
            case NO_NODES ->
                "nodes that join or return with " + missing(pendingReason, "more GPU")
                        + " (fermata nodes); or cancel it and submit it with less";
            case START_FAILED ->
                "the time until the next attempt; or its cause being repaired, see fermata diag and nodes";
            case ENGINE_UNREACHABLE -> "the engine answering again (fermata diag); running jobs continue";
            case DEPENDENCY -> {
                PendingReason.DependencyPending dependency = (PendingReason.DependencyPending) pendingReason;
                yield "the end of job " + dependency.firstDependency()
                        + (dependency.openDependencies() > 1
                                ? " and " + (dependency.openDependencies() - 1) + " more"
                                : "");
            }
            case ARRAY_LIMIT -> "the end of a job of its array (" + job.arrayId() + ")";
            case PROFILE_PENDING ->
                "the end of the profiling run of job " + ((PendingReason.ProfilePending) pendingReason).profilingJob()
                        + ", or the end of the wait for it";
            case QUEUE_LIMIT ->
                "jobs of queue " + job.queue() + " ending on " + missing(pendingReason, "GPU")
                        + ", or a higher limit of the queue";
            case QUEUE_SHARE ->
                "other queues requesting less, or jobs of queue " + job.queue() + " ending on "
                        + missing(pendingReason, "GPU");
            case PREEMPTION_PENDING ->
                "the end of the jobs on its reserved GPUs, which have the signal to save; or other GPUs becoming free";
            case PRIORITY -> "the jobs before it starting or ending; a higher priority would move it ahead";
            case RESOURCES -> "jobs ending on " + missing(pendingReason, "more GPU");
            case FRAGMENTED ->
                "jobs ending next to GPUs that are free, so that "
                        + ((PendingReason.Fragmented) pendingReason).neededGpus() + " are together";
            case WAITING_FOR_LOCALITY ->
                "closer GPUs becoming free, or "
                        + tenths(millisUntil(
                                ((PendingReason.WaitingForLocality) pendingReason).untilMillis(), nowMillis))
                        + " s more of waiting: then it accepts any GPUs";
            case HOST_RESOURCES -> "jobs ending on nodes whose GPUs are free, or requests for less CPU or RAM";
            case MEMORY -> "a GPU whose jobs leave " + ((PendingReason.Memory) pendingReason).neededMib() + " MiB free";
            case RESERVATION ->
                "the start of job " + ((PendingReason.Reservation) pendingReason).reservedForJob()
                        + ", for which GPUs are kept";
            case PREEMPTION_NOT_WORTH_IT -> "jobs ending by themselves, or becoming cheap enough to pause";
            case NOT_YET_CONSIDERED -> "the next decision, in a moment";
        };
    }

    /** Where any jobs of some kind would do, the first of them to end. */
    private static String named(ReasonCode reason, List<BlockingJob> blockedBy) {
        if (blockedBy.isEmpty() || !ANY_JOBS.contains(reason)) {
            return "";
        }
        String first = blockedBy.stream()
                .limit(MAX_NAMED_JOBS)
                .map(job -> Long.toString(job.job()))
                .collect(Collectors.joining(", "));
        int more = blockedBy.size() - MAX_NAMED_JOBS;
        return "; first to end: " + (blockedBy.size() == 1 ? "job " : "jobs ") + first
                + (more > 0 ? " and " + more + " more" : "");
    }

    private static String missing(PendingReason pendingReason, String what) {
        PendingReason.GpuCounts counts = (PendingReason.GpuCounts) pendingReason;
        return Count.of(Math.max(1, counts.neededGpus() - counts.availableGpus()), what);
    }

    /** The same with what a pause would cost of the job's work, as it is weighed. */
    static Explanation withPauseCost(Explanation known, JobView job, long nowMillis) {
        Map<String, Object> evidence = new LinkedHashMap<>(known.evidence());
        boolean saves = job.job().savesWithinGrace();
        evidence.put("savesOnPause", saves);
        if (!saves && job.state() == JobState.RUNNING) {
            long ran = nowMillis - job.runningMillis();
            long every = job.job().checkpointMillis();
            evidence.put("workAtRiskSeconds", seconds(every > 0 ? ran % every : ran));
        }
        if (job.job().maxPreemptions() == 0) {
            evidence.put("neverPaused", true);
        }
        return known.with(known.message(), evidence, known.unblockedBy());
    }

    /** A job on GPUs. */
    static Explanation explainOnGpus(
            JobRow job,
            @Nullable AttemptProgress progress,
            @Nullable RemainingTime remaining,
            long beneficiary,
            boolean profiled,
            long nowMillis) {
        Map<String, Object> evidence = new LinkedHashMap<>();
        evidence.put("gpus", job.heldGpus());
        evidence.put("attempt", job.attempt());
        evidence.put("sinceSeconds", seconds(nowMillis - job.sinceMillis()));
        long ran = job.runMillis() + (job.state() == JobState.RUNNING ? nowMillis - job.sinceMillis() : 0);
        evidence.put("ranSeconds", seconds(ran));
        String where = " on GPU" + (job.heldGpus().contains(",") ? "s " : " ") + job.heldGpus();
        String probe = profiled ? "; this is a profiling run, the first of its program" : "";
        String message = switch (job.state()) {
            case STARTING -> "is being started" + where + probe;
            case RUNNING -> "runs" + where + addProgress(progress, evidence) + probe;
            default ->
                beneficiary == job.id()
                        ? "received the signal to save and leave" + where + ", to be placed again"
                        : beneficiary >= 0
                                ? "received the signal to save and leave" + where + " for job " + beneficiary
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
        if (job.state() == JobState.PREEMPTING && beneficiary >= 0) {
            evidence.put("beneficiary", beneficiary);
        }
        return new Explanation(job.id(), job.state(), message, evidence);
    }

    private static String addProgress(@Nullable AttemptProgress progress, Map<String, Object> evidence) {
        if (progress == null) {
            return "";
        }
        String unit = progress.origin().unit();
        evidence.put(unit, progress.step());
        if (progress.shownTotal() > 0) {
            evidence.put(unit.equals("step") ? "totalSteps" : "totalEpochs", progress.shownTotal());
        }
        if (progress.origin().isOutput()) {
            evidence.put("progressSource", "output");
            evidence.put("progressConfidence", progress.origin().confidence());
        }
        if (!Double.isNaN(progress.metric())) {
            evidence.put(progress.metricName().isEmpty() ? "metric" : progress.metricName(), progress.metric());
        }
        boolean certain = progress.total() > 0;
        return ", at " + unit + " " + progress.step()
                + (progress.shownTotal() > 0 ? (certain ? " of " : " of perhaps ") + progress.shownTotal() : "");
    }

    /** Explains an ended job. */
    static Explanation explainEnded(JobRow job) {
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
        return new Explanation(job.id(), job.state(), message, evidence);
    }

    /** Exact to the millisecond, as in the history. */
    private static double seconds(long millis) {
        return millis / 1000.0;
    }

    private static double tenths(long millis) {
        return Math.rint(millis / 100.0) / 10;
    }
}
