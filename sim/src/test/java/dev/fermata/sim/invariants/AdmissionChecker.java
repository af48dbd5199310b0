package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.QueueRule;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Detects jobs that pass a closed admission gate. It uses records alone, counted the slow and obvious way. */
final class AdmissionChecker implements CheckedSimulation.CycleChecker {
    private static final class GatedJob {
        Job job;
        final Set<Dependency> openDependencies = new HashSet<>();
        boolean cancelled;
        boolean unsatisfiable;
        boolean preempting;
        Allocation held;
        Allocation reservation;

        GatedJob(Job job) {
            this.job = job;
        }
    }

    private record QueueVictim(long victim, int gpus, String queue) {}

    private final LawAssert laws;
    private final Map<Long, GatedJob> liveJobs = new TreeMap<>();
    private final Map<Long, List<QueueVictim>> preemptedFor = new HashMap<>();
    private List<QueueRule> rules = List.of();
    private long now;

    AdmissionChecker(RandomScenario scenario, String policy) {
        this.laws = new LawAssert(scenario, policy);
    }

    @Override
    public void checkCycle(long nowMillis, List<Event> events, Decision decision, Scheduler scheduler) {
        now = nowMillis;
        for (Event event : events) {
            if (event instanceof Event.CancelRequested cancelRequested
                    && liveJobs.containsKey(cancelRequested.jobId())) {
                liveJobs.get(cancelRequested.jobId()).cancelled = true;
            }
        }
        preemptedFor.clear();
        decision.records().forEach(this::onRecord);
        for (GatedJob job : liveJobs.values()) {
            require(!job.unsatisfiable, "a job with an unsatisfiable dependency is cancelled at once", job.job.name());
        }
    }

    private void onRecord(HistoryRecord record) {
        GatedJob job = liveJobs.get(record.jobId());
        switch (record.type()) {
            case SUBMITTED -> onSubmitted(((HistoryRecord.Submitted) record).job());
            case JOB_UPDATED -> job.job = ((HistoryRecord.JobUpdated) record).job();
            case QUEUES_SET -> rules = ((HistoryRecord.QueuesSet) record).rules();
            case STARTED -> {
                HistoryRecord.Started started = (HistoryRecord.Started) record;
                require(
                        job.openDependencies.isEmpty(),
                        "no job starts before its dependencies have ended",
                        started + " " + job.openDependencies);
                boolean kept = job.reservation != null;
                job.reservation = null;
                job.held = started.allocation();
                if (!kept) {
                    checkLimits(job, started);
                }
            }
            case RESERVED -> {
                HistoryRecord.Reserved reserved = (HistoryRecord.Reserved) record;
                boolean moves = job.held != null;
                job.reservation = reserved.allocation();
                if (!moves) {
                    checkLimits(job, reserved);
                    checkGuarantees(job, reserved);
                }
            }
            case RESERVATION_RELEASED -> {
                if (job != null) {
                    job.reservation = null;
                }
            }
            case PREEMPTING -> {
                HistoryRecord.Preempting preemptingRecord = (HistoryRecord.Preempting) record;
                job.preempting = true;
                if (preemptingRecord.beneficiary() != preemptingRecord.jobId()) {
                    preemptedFor
                            .computeIfAbsent(preemptingRecord.beneficiary(), b -> new ArrayList<>())
                            .add(new QueueVictim(preemptingRecord.jobId(), job.held.size(), job.job.queue()));
                }
            }
            case CANCELLING, PROFILED -> job.preempting = true;
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded attemptEnded = (HistoryRecord.AttemptEnded) record;
                job.held = null;
                job.preempting = false;
                if (attemptEnded.next().isFinal()) {
                    onEnded(attemptEnded.jobId(), attemptEnded.next());
                }
            }
            case JOB_ENDED -> {
                HistoryRecord.JobEnded jobEnded = (HistoryRecord.JobEnded) record;
                require(job.cancelled || job.unsatisfiable, "no job is cancelled without a reason", jobEnded);
                onEnded(jobEnded.jobId(), jobEnded.state());
            }
            case JOB_REJECTED,
                    RUNNING,
                    SPEED_CHANGED,
                    HELD,
                    RELEASED,
                    PREEMPTION_DECLINED,
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

    private void onSubmitted(Job job) {
        GatedJob checkedJob = new GatedJob(job);
        for (Dependency after : job.dependencies()) {
            GatedJob other = liveJobs.get(after.jobId());
            if (other != null && after.jobId() != job.id()) {
                checkedJob.openDependencies.add(after);
            }
        }
        liveJobs.put(job.id(), checkedJob);
    }

    private void onEnded(long id, JobState state) {
        liveJobs.remove(id);
        for (GatedJob other : liveJobs.values()) {
            for (Dependency after : List.copyOf(other.openDependencies)) {
                if (after.jobId() == id) {
                    other.openDependencies.remove(after);
                    boolean success = state == JobState.COMPLETED;
                    other.unsatisfiable |= after.condition()
                            == (success ? Dependency.Condition.FAILURE : Dependency.Condition.SUCCESS);
                }
            }
        }
    }

    /** A job was allocated or reserved GPUs. */
    private void checkLimits(GatedJob job, HistoryRecord record) {
        int max = job.job.array().maxRunning();
        if (max > 0) {
            long on = liveJobs.values().stream()
                    .filter(o ->
                            o.job.array().id() == job.job.array().id() && (o.held != null || o.reservation != null))
                    .count();
            require(on <= max, "no array exceeds its limit", record + ": " + on + " of " + max);
        }
        for (QueueRule rule : rules) {
            if (isWithin(rule.path(), job.job.queue())) {
                int used = usedGpus(rule.path(), other -> true).size();
                require(
                        used <= rule.limitGpus(),
                        "no queue exceeds its limit",
                        rule + " uses " + used + " by " + record);
                checkTerms(rule, job, record);
            }
        }
    }

    private void checkTerms(QueueRule rule, GatedJob job, HistoryRecord record) {
        int ofUser = usedGpus(rule.path(), other -> other.user().equals(job.job.user()))
                .size();
        require(
                ofUser <= rule.terms().perUser().gpus(),
                "no user exceeds a limit of the queue",
                rule + ": " + job.job.user() + " uses " + ofUser + " by " + record);
        if (job.job.jobClass() == JobClass.TRIAL) {
            int ofTrials = usedGpus(rule.path(), other -> other.jobClass() == JobClass.TRIAL)
                    .size();
            require(
                    ofTrials <= rule.terms().trials().totalGpus(),
                    "trials do not exceed their limit",
                    rule + ": they use " + ofTrials + " by " + record);
        }
    }

    private static boolean isWithin(String path, String queue) {
        return queue.equals(path) || queue.startsWith(path + "/");
    }

    private Set<Integer> usedGpus(String path, Predicate<Job> counted) {
        Set<Integer> gpus = new HashSet<>();
        for (GatedJob job : liveJobs.values()) {
            if (isWithin(path, job.job.queue()) && counted.test(job.job)) {
                add(gpus, job.held);
                add(gpus, job.reservation);
            }
        }
        return gpus;
    }

    private static void add(Set<Integer> gpus, Allocation allocation) {
        for (int i = 0; allocation != null && i < allocation.size(); i++) {
            gpus.add(allocation.gpu(i));
        }
    }

    /** After a preemption for another queue, the victim's queue keeps what it is guaranteed. */
    private void checkGuarantees(GatedJob beneficiary, HistoryRecord record) {
        for (QueueRule rule : rules) {
            boolean lost = preemptedFor.getOrDefault(record.jobId(), List.of()).stream()
                    .anyMatch(p -> isWithin(rule.path(), p.queue()));
            if (lost && !isWithin(rule.path(), beneficiary.job.queue())) {
                int kept = 0;
                for (GatedJob job : liveJobs.values()) {
                    boolean matches = isWithin(rule.path(), job.job.queue());
                    kept += matches && job.held != null && !job.preempting ? job.held.size() : 0;
                    kept += matches && job.reservation != null ? job.reservation.size() : 0;
                }
                require(
                        kept >= rule.guaranteeGpus(),
                        "no queue loses what it is guaranteed",
                        rule + " keeps " + kept + " after " + record);
            }
        }
    }

    private void require(boolean holds, String law, Object evidence) {
        laws.require(holds, law, "at " + now + ": " + evidence);
    }
}
