package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.RuntimeEstimate;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.ranking.PreemptWays;
import dev.fermata.core.policy.ranking.RankedJob;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What preempting some jobs for another gains and costs, in milliseconds of completion time summed over jobs.
 *
 * <p>With R the time a job still runs, P what its preemption takes (and what it must repeat if it cannot save in
 * time), L its reload and S the start of the newcomer p:
 *
 * <pre>
 *   gain = w_p * (W - max P)    W = mean of R over the victims' GPUs: how long p would wait for these GPUs otherwise
 *   cost = sum over victims of w * (P + S + R_p + L)  +  behind * sum of (P + L) * gpus / all GPUs
 *   gain of area = behind * U * min(S + R_p, W) / all GPUs
 * </pre>
 *
 * The first part of the cost is the delay of the victims. The second is that of all others: GPU-time spent on saving and
 * loading is lost to the {@code behind} jobs that wait for it. For one victim and none behind this is the exchange
 * argument {@code R_v > R_p + S + 2 P + L}; with free preemptions it is SRTF's {@code R_v > R_p}.
 *
 * <p>GPU-time is lost to them as well where GPUs stay idle. U is how many more GPUs are in use than before
 * ({@link GpuUse}): a wide gang that takes the place of a few small jobs uses the idle GPUs next to them, and a small job
 * that takes the place of a wide gang leaves most of its GPUs idle, unless others wait for them. Below 0 it is a cost.
 *
 * <p>Where only a distribution is known, p runs for the time that gains most. W then counts with the chance that p ends
 * within that time, and R_p is its expected work. The waiting of some jobs counts w times, as beneficiaries and as victims.
 * If it counted for beneficiaries only, two of them would preempt each other again and again.
 *
 * @param gainMillis in plain milliseconds, each job counted once: what people are shown
 * @param weighedGain with the weights: what is compared
 */
record CostBenefit(long gainMillis, long costMillis, double weighedGain, double weighedCost) {

    /**
     * What a preemption is judged by.
     *
     * @param order estimates how much work jobs still have
     * @param ways how the victims leave
     */
    record Terms(View view, JobOrder order, PreemptWays ways) {}

    /**
     * @param delayedJobs how many jobs the lost GPU-time will delay
     * @param weight how many times the waiting of a job counts: in what the newcomer gains, and in what a victim loses
     * @param otherwiseMillis how much later the newcomer would end at most without a preemption, on GPUs that it declines now
     * @param moreGpusUsed how many more GPUs are in use afterwards
     */
    static CostBenefit of(
            Terms terms,
            RankedJob waiting,
            Allocation place,
            List<RankedJob> victims,
            double delayedJobs,
            ToDoubleFunction<RankedJob> weight,
            long otherwiseMillis,
            int moreGpusUsed) {
        View view = terms.view;
        long longestPreempt = 0;
        double plainOverheads = 0;
        double overheads = 0;
        double weights = 0;
        long gpus = 0;
        double wait = 0;
        double lost = 0;
        for (RankedJob entry : victims) {
            JobView victim = entry.job();
            double counts = weight.applyAsDouble(entry);
            long preempt = terms.ways.vacateMillis(view, victim);
            long overhead = terms.ways.overheadMillis(view, victim);
            longestPreempt = Math.max(longestPreempt, preempt);
            plainOverheads += overhead;
            overheads += counts * overhead;
            weights += counts;
            gpus += victim.gpus();
            wait += (double) remainingRunMillis(view, terms.order, victim) * victim.gpus();
            lost += (double) overhead * victim.gpus();
        }
        long others = Math.round(delayedJobs * lost / view.topology().gpuCount());
        double left = Math.min(wait / Math.max(1, gpus), (double) otherwiseMillis);
        JobView beneficiary = waiting.job();
        double speed = speed(view, beneficiary, place);
        double counts = weight.applyAsDouble(waiting);
        double mean = victims.isEmpty() ? 1 : weights / victims.size();
        RuntimeEstimate.Quantum quantum = terms.order.bestQuantum(beneficiary, view, counts / mean * left * speed);
        double delay = beneficiary.nextLoadMillis()
                + Math.min(JobOrder.MAX_HORIZON_MILLIS, Math.ceil(quantum.expectedWorkMillis() / speed));
        long gain = Math.max(0, Math.round(quantum.completionProbability() * left) - longestPreempt);
        long area = Math.round(delayedJobs
                * moreGpusUsed
                * Math.min(delay, left)
                / view.topology().gpuCount());
        long idle = Math.max(0, -area);
        return new CostBenefit(
                gain + Math.max(0, area),
                Math.round(plainOverheads + delay * victims.size()) + others + idle,
                gain * counts + Math.max(0, area),
                overheads + delay * weights + others + idle);
    }

    /** How long a running job would go on without a preemption. */
    static long remainingRunMillis(View view, JobOrder order, JobView running) {
        return JobOrder.predictedEndMillis(running, view, order.remainingMillis(running, view)) - view.nowMillis();
    }

    /** What a move takes of a job's own time: saving, loading again, and what it must repeat. */
    static long moveOverheadMillis(View view, JobView moving) {
        return PreemptWays.checkpointOverheadMillis(view, moving);
    }

    private static double speed(View view, JobView beneficiary, Allocation place) {
        return (double) SpeedModel.speedAlone(beneficiary.job(), place, view.topology())
                        .micro()
                / Speed.UNIT;
    }
}
