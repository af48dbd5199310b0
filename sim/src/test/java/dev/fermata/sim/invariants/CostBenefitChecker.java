package dev.fermata.sim.invariants;

import dev.fermata.core.contract.Decision;
import dev.fermata.core.contract.Event;
import dev.fermata.core.contract.HistoryRecord;
import dev.fermata.core.contract.JobState;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.scheduler.Scheduler;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Computes gain and cost of each weighed preemption from true durations and records alone, by the documented formula, and compares
 * them with what the policy states:
 *
 * <pre>
 *   gain = W - max P
 *   cost = sum over victims of (P + L + X + S + R_p)  +  behind * sum of (P + L + X) * gpus / all GPUs
 *   area = behind * (GPUs used more) * min(S + R_p, W) / all GPUs, a gain above 0 and a cost below
 * </pre>
 *
 * What is stated counts each job once. What is compared counts the gain of a trial, and what it pays as a victim, w times.
 *
 * <p>Only for scenarios with known durations, in which no job is held, updated or stopped by a limit.
 */
final class CostBenefitChecker implements CheckedSimulation.CycleChecker {
    /**
     * Bounds on the number of jobs that count as delayed.
     *
     * @param byIdleGpus whether GPUs that stay idle delay them too
     */
    record Behind(double min, double max, boolean byIdleGpus) {}

    /** Says how many jobs a preemption for the beneficiary delays. */
    interface Crowd {
        Behind behind(Job beneficiary, int pending);
    }

    private static final class WeighedJob {
        final Job job;
        final long submittedMillis;
        boolean pending = true;
        long savedMillis;
        long attemptMicro;
        long speed;
        long speedSinceMillis;
        long runningMillis;
        boolean reserved;

        @Nullable
        Allocation held;

        WeighedJob(Job job, long submittedMillis) {
            this.job = job;
            this.submittedMillis = submittedMillis;
        }

        void speed(long now, long micro) {
            attemptMicro += (now - speedSinceMillis) * speed;
            speedSinceMillis = now;
            speed = micro;
        }

        double doneMillis(long now) {
            return savedMillis + (double) (attemptMicro + (now - speedSinceMillis) * speed) / Speed.UNIT;
        }
    }

    private final RandomScenario scenario;
    private final LawAssert laws;
    private final double trialWeight;
    private final double margin;
    private final Crowd crowd;
    private final Map<Long, WeighedJob> jobs = new TreeMap<>();
    private final List<HistoryRecord.Preempting> victims = new ArrayList<>();
    private int pendingBefore = -1;
    private boolean unsure;
    private int weighed;
    private int several;
    private int lossy;
    private int widened;

    CostBenefitChecker(RandomScenario scenario, String policy, double trialWeight, double margin, Crowd crowd) {
        this.scenario = scenario;
        this.laws = new LawAssert(scenario, policy);
        this.trialWeight = trialWeight;
        this.margin = margin;
        this.crowd = crowd;
    }

    /** Preemptions that were computed. */
    int weighed() {
        return weighed;
    }

    /** Those with more than one victim. */
    int several() {
        return several;
    }

    /** Those with a victim that could not save in time. */
    int lossy() {
        return lossy;
    }

    /** Those after which more GPUs are in use, where that counts. */
    int widened() {
        return widened;
    }

    @Override
    public void checkCycle(long now, List<Event> events, Decision decision, Scheduler scheduler) {
        pendingBefore = -1;
        unsure = false;
        victims.clear();
        for (HistoryRecord record : decision.records()) {
            onRecord(now, record);
        }
    }

    private void onRecord(long now, HistoryRecord record) {
        if (record instanceof HistoryRecord.Submitted submitted) {
            jobs.put(record.jobId(), new WeighedJob(submitted.job(), now));
        } else if (jobs.containsKey(record.jobId())) {
            onJobRecord(now, record, jobs.get(record.jobId()));
        }
    }

    private void onJobRecord(long now, HistoryRecord record, WeighedJob job) {
        switch (record.type()) {
            case STARTED -> {
                if (!job.reserved) {
                    countPending();
                }
                job.reserved = false;
                job.pending = false;
                job.held = ((HistoryRecord.Started) record).allocation();
                job.attemptMicro = 0;
                job.speed = 0;
            }
            case RUNNING -> {
                job.runningMillis = now;
                job.speed(now, ((HistoryRecord.Running) record).speedMicro());
            }
            case SPEED_CHANGED -> job.speed(now, ((HistoryRecord.SpeedChanged) record).speedMicro());
            case PREEMPTING -> {
                HistoryRecord.Preempting preempting = (HistoryRecord.Preempting) record;
                countPending();
                if (preempting.beneficiary() != preempting.jobId()) {
                    victims.add(preempting);
                }
            }
            case RESERVED -> {
                if (!victims.isEmpty()) {
                    checkGainAndCost(now, job, ((HistoryRecord.Reserved) record).allocation());
                }
                victims.clear();
                job.reserved = true;
            }
            case RESERVATION_RELEASED -> {
                unsure = true; // the records do not show whether the policy then starts it
                job.reserved = false;
            }
            case ATTEMPT_ENDED -> {
                HistoryRecord.AttemptEnded attemptEnded = (HistoryRecord.AttemptEnded) record;
                job.speed(now, 0);
                job.attemptMicro = 0;
                job.savedMillis = attemptEnded.usage().savedWorkMillis();
                job.held = null;
                job.pending = attemptEnded.next() == JobState.PENDING;
            }
            case JOB_ENDED -> job.pending = false;
            case SUBMITTED,
                    JOB_REJECTED,
                    HELD,
                    RELEASED,
                    JOB_UPDATED,
                    QUEUES_SET,
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

    /** The policy decides by the state before its first action. */
    private void countPending() {
        if (pendingBefore < 0) {
            pendingBefore = (int) jobs.values().stream().filter(j -> j.pending).count();
        }
    }

    private void checkGainAndCost(long now, WeighedJob beneficiary, Allocation place) {
        double wait = 0;
        double gpus = 0;
        double rounding = 2;
        double weights = 0;
        double overheads = 0;
        double plainOverheads = 0;
        double lostGpuMillis = 0;
        long longestPreempt = 0;
        boolean starving = overAnHour(beneficiary, now);
        boolean repeats = false;
        for (HistoryRecord.Preempting record : victims) {
            WeighedJob victim = jobs.get(record.jobId());
            starving |= overAnHour(victim, now);
            Costs costs = victim.job.costs();
            boolean saves = costs.preemptMillis() <= victim.job.graceMillis();
            long preempt = saves ? costs.preemptMillis() : victim.job.graceMillis();
            long ran = now - victim.runningMillis;
            long interval = victim.job.checkpointMillis();
            long repeated = saves ? 0 : interval == 0 ? ran : ran % interval;
            double own = (double) preempt + costs.reloadMillis() + repeated;
            double weight = weight(victim.job);
            repeats |= repeated > 0;
            longestPreempt = Math.max(longestPreempt, preempt);
            weights += weight;
            overheads += weight * own;
            plainOverheads += own;
            lostGpuMillis += own * victim.held.size();
            double left = scenario.job(victim.job.id()).durationMillis() - victim.doneMillis(now);
            wait += left * Speed.UNIT / victim.speed * victim.held.size();
            gpus += victim.held.size();
            rounding += 2.0 * Speed.UNIT / victim.speed;
        }
        if (starving || unsure) {
            return; // a starved job may count as many times as a trial does
        }
        weighed++;
        several += victims.size() > 1 ? 1 : 0;
        lossy += repeats ? 1 : 0;
        double speed = (double) SpeedModel.speedAlone(beneficiary.job, place, scenario.topology())
                        .micro()
                / Speed.UNIT;
        double beneficiaryMillis =
                (scenario.job(beneficiary.job.id()).durationMillis() - beneficiary.savedMillis) / speed;
        double start = beneficiary.job.costs().loadMillis(beneficiary.savedMillis > 0);
        double gain = Math.max(0, wait / gpus - longestPreempt);
        double victimsPay = plainOverheads + victims.size() * (start + beneficiaryMillis);
        double moreGain = (weight(beneficiary.job) - 1) * gain;
        double moreCost = overheads + weights * (start + beneficiaryMillis) - victimsPay;
        double perJobBehind = lostGpuMillis / scenario.topology().gpuCount();
        Behind behind = crowd.behind(beneficiary.job, pendingBefore);
        HistoryRecord.Preempting stated = victims.get(0);
        double areaMillis = Math.min(start + beneficiaryMillis, wait / gpus)
                / scenario.topology().gpuCount();
        int used = place.size() - heldByVictims();
        // of the GPUs that victims leave unused, all that other jobs wait for may be used again, or none
        double refilled = used < 0 ? Math.min(0, used + (double) pendingGpus(beneficiary)) : used;
        double mostArea = behind.byIdleGpus ? Math.max(0, used * behind.max * areaMillis) : 0;
        double leastArea = behind.byIdleGpus ? Math.max(0, used * behind.min * areaMillis) : 0;
        double mostIdle = behind.byIdleGpus ? Math.max(0, -used * behind.max * areaMillis) : 0;
        double leastIdle = behind.byIdleGpus ? Math.max(0, -refilled * behind.min * areaMillis) : 0;
        widened += mostArea > 0 ? 1 : 0;
        double slack = (rounding + 2 / speed) * (1 + weights + weight(beneficiary.job));
        // on free GPUs that it declines, in hope of a better place, it would wait less than for those of the victims
        boolean declines =
                behind.byIdleGpus && freeGpus() >= beneficiary.job.demand().minGpus();
        if (declines) {
            moreGain = (weight(beneficiary.job) - 1) * Math.min(gain, (double) stated.gainMillis());
            leastIdle = 0;
        }
        require(
                (declines || stated.gainMillis() >= gain + leastArea - slack)
                        && stated.gainMillis() <= gain + mostArea + slack,
                "the gain is what the formula says",
                stated,
                gain,
                victimsPay);
        require(
                stated.costMillis() >= victimsPay + behind.min * perJobBehind + leastIdle - slack
                        && stated.costMillis() <= victimsPay + behind.max * perJobBehind + mostIdle + slack,
                "the cost is what the formula says",
                stated,
                victimsPay + behind.min * perJobBehind + leastIdle,
                victimsPay + behind.max * perJobBehind + mostIdle);
        require(
                stated.gainMillis() + moreGain + slack > (stated.costMillis() + moreCost - slack) * (1 + margin),
                "no job is preempted unless the gain exceeds the cost by the margin",
                stated,
                gain,
                victimsPay);
    }

    /** GPUs that no job holds, whether they are up or not. */
    private int freeGpus() {
        BitSet held = new BitSet();
        for (WeighedJob job : jobs.values()) {
            for (int i = 0; job.held != null && i < job.held.size(); i++) {
                held.set(job.held.gpu(i));
            }
        }
        return scenario.topology().gpuCount() - held.cardinality();
    }

    private int heldByVictims() {
        BitSet gpus = new BitSet();
        for (HistoryRecord.Preempting record : victims) {
            Allocation held = jobs.get(record.jobId()).held;
            for (int i = 0; i < held.size(); i++) {
                gpus.set(held.gpu(i));
            }
        }
        return gpus.cardinality();
    }

    /** The GPUs that other jobs wait for now, or waited for before this decision started them. */
    private long pendingGpus(WeighedJob beneficiary) {
        return jobs.values().stream()
                .filter(j -> j != beneficiary && (j.pending || j.held != null))
                .mapToLong(j -> j.job.demand().maxGpus())
                .sum();
    }

    private boolean overAnHour(WeighedJob job, long now) {
        return trialWeight > 1 && now - job.submittedMillis > 3_600_000;
    }

    private double weight(Job job) {
        return job.jobClass() == JobClass.TRIAL ? trialWeight : 1;
    }

    private void require(boolean holds, String law, HistoryRecord.Preempting stated, double first, double second) {
        laws.require(
                holds,
                law,
                stated + ", " + victims.size() + " victims, worked out " + first + " and " + second + ", "
                        + pendingBefore + " pending");
    }
}
