package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.Outlook;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Pace;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.order.Order;
import dev.fermata.core.policy.queue.Entry;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * What pausing some jobs for another gains and costs, in milliseconds of completion time summed over jobs.
 *
 * <p>With R the time a job still runs, P what its pause takes (and what it must repeat if it cannot save in
 * time), L its reload and S the start of the newcomer p:
 *
 * <pre>
 *   gain = w_p * (W - max P)    W = mean of R over the victims' GPUs: how long p would wait for these GPUs otherwise
 *   cost = sum over victims of w * (P + S + R_p + L)  +  behind * sum of (P + L) * gpus / all GPUs
 * </pre>
 *
 * The first part of the cost is the delay of the victims. The second is that of everybody else: GPU-time spent on saving
 * and loading is lost to the {@code behind} jobs who wait for it. For one victim and nobody behind this is the exchange
 * argument {@code R_v > R_p + S + 2 P + L}; with free pauses it is SRTF's {@code R_v > R_p}.
 *
 * <p>Where only the odds of p are known, it is taken to run for the stint that gains most: W counts with the chance that p ends
 * in it, and R_p is what it is expected to run meanwhile. The waiting of some counts w times, whether they come or leave: else two of
 * them would pause each other in turn, since what each gains counts for more than what the other loses.
 */
record Worth(long gainMillis, long costMillis) {

    /**
     * @param order says how much work jobs still have
     * @param behind how many jobs the lost GPU-time will delay
     * @param weight how many times the waiting of a job counts: in what the newcomer gains, and in what a victim loses
     */
    static Worth of(
            View view,
            Order order,
            Entry waiting,
            Allocation place,
            List<Entry> victims,
            double behind,
            ToDoubleFunction<Entry> weight) {
        long longestPause = 0;
        double overheads = 0;
        double weights = 0;
        long gpus = 0;
        double wait = 0;
        double lost = 0;
        for (Entry entry : victims) {
            JobView victim = entry.job();
            double counts = weight.applyAsDouble(entry);
            long pause = pauseMillis(victim);
            long overhead = overheadMillis(view, victim);
            longestPause = Math.max(longestPause, pause);
            overheads += counts * overhead;
            weights += counts;
            gpus += victim.gpus();
            wait += (double) leftMillis(view, order, victim) * victim.gpus();
            lost += (double) overhead * victim.gpus();
        }
        long others = Math.round(behind * lost / view.topology().gpuCount());
        double left = wait / Math.max(1, gpus);
        JobView newcomer = waiting.job();
        double pace = pace(view, newcomer, place);
        double counts = weight.applyAsDouble(waiting);
        double mean = victims.isEmpty() ? 1 : weights / victims.size();
        Outlook.Stint stint = order.stint(newcomer, view, counts / mean * left * pace);
        double delay = startMillis(newcomer) + Math.min(Order.FOREVER_MILLIS, Math.ceil(stint.workMillis() / pace));
        long gain = Math.max(0, Math.round(stint.chance() * left) - longestPause);
        return new Worth(Math.round(gain * counts), Math.round(overheads + delay * weights) + others);
    }

    /** How long a running job would go on if it were left in peace. */
    static long leftMillis(View view, Order order, JobView running) {
        return Order.expectedEndMillis(running, view, order.remainingMillis(running, view)) - view.nowMillis();
    }

    static long pauseMillis(JobView victim) {
        return Math.min(victim.job().costs().pauseMillis(), victim.job().graceMillis());
    }

    /** What pausing a job takes of its own time: the pause, loading again, and what it must repeat. */
    static long overheadMillis(View view, JobView victim) {
        return pauseMillis(victim) + victim.job().costs().reloadMillis() + lostMillis(view, victim);
    }

    /** Running time a victim would have to repeat: none if it can save within its grace, else what it did since it last saved. */
    private static long lostMillis(View view, JobView victim) {
        if (victim.job().costs().pauseMillis() <= victim.job().graceMillis()) {
            return 0;
        }
        long ran = view.nowMillis() - victim.runningMillis();
        long interval = victim.job().checkpointMillis();
        return interval > 0 ? ran % interval : ran;
    }

    private static long startMillis(JobView newcomer) {
        return newcomer.job().costs().loadMillis(newcomer.resumed());
    }

    private static double pace(View view, JobView newcomer, Allocation place) {
        return (double) SpeedModel.alone(newcomer.job(), place, view.topology()).micro() / Pace.UNIT;
    }
}
