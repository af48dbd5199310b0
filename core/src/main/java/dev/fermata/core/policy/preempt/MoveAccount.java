package dev.fermata.core.policy.preempt;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.policy.order.JobOrder;
import dev.fermata.core.policy.place.CoLocatedJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What moving a running job to other GPUs gains and costs, in milliseconds of completion time summed over jobs.
 *
 * <pre>
 *   gain = R here - R there  +  what the jobs that it leaves gain until one of both ends
 *   cost = P + L + X  +  behind * max((P + L + X) * GPUs, GPU-time that it then takes more) / all GPUs
 * </pre>
 *
 * While jobs wait it may be preempted: then the gain counts for as long again as it has run.
 *
 * <p>The speed there is its real speed here times what the model says of both places: a wrong model of the job changes both.
 */
public record MoveAccount(long gainMillis, long costMillis) {
    /** The cost is paid now and the gain comes later, if the job stays: it must be this many times the cost. */
    private static final long MIN_RATIO = 5;

    /** As below, for a job that has its GPUs for itself here as well. */
    public static MoveAccount ofAlone(View view, JobOrder order, JobView job, Allocation here, Allocation there) {
        return of(view, order, job, here, there, null);
    }

    /** The account of one move; the job runs, and has the GPUs there for itself. They may be more or fewer than here. */
    public static MoveAccount of(
            View view,
            JobOrder order,
            JobView job,
            Allocation here,
            Allocation there,
            @Nullable CoLocatedJobs coLocated) {
        double slowdown = slowdown(job, null, coLocated);
        double left = CostBenefit.remainingRunMillis(view, order, job);
        double leftThere = left / slowdown * speed(view, job, here) / speed(view, job, there);
        double gain = 0;
        double sharedMillis = 0;
        double savedGpuMillis = 0;
        for (JobView neighbour : neighbours(job, here, coLocated)) {
            double theirs = CostBenefit.remainingRunMillis(view, order, neighbour);
            double with = slowdown(neighbour, null, coLocated);
            double saved = Math.min(theirs, left) * (1 - slowdown(neighbour, job, coLocated) / with);
            gain += saved;
            savedGpuMillis += saved * neighbour.gpus();
            sharedMillis = Math.max(sharedMillis, theirs);
        }
        double alone = Math.max(0, left - sharedMillis); // from when its neighbours have ended
        double leftHere = left - alone + alone / slowdown;
        double overhead = CostBenefit.moveOverheadMillis(view, job);
        double heldAlone = sharedMillis == 0 ? leftHere : alone / slowdown;
        double moreGpuMillis = (leftThere + overhead) * there.size() - heldAlone * here.size() - savedGpuMillis;
        // the time that it saves is not credited: where jobs wait it may not run on that long
        double lostGpuMillis = Math.max(overhead * there.size(), moreGpuMillis);
        double others = view.pendingJobs() * lostGpuMillis / view.topology().gpuCount();
        double counted = view.pendingJobs() == 0 ? 1 : Math.min(1, (view.nowMillis() - job.runningMillis()) / leftHere);
        return new MoveAccount(Math.round(counted * (gain + leftHere - leftThere)), Math.round(overhead + others));
    }

    /** Whether moving a job that shares no GPU could pay at this speed; its gain is never more, its cost never less. */
    public static boolean mayPay(View view, JobOrder order, JobView job, long speedHereMicro, long speedMicro) {
        double left = CostBenefit.remainingRunMillis(view, order, job);
        double leftThere = left * ((double) speedHereMicro / Speed.UNIT) * Speed.UNIT / speedMicro;
        return left - leftThere + 1 > MIN_RATIO * (double) CostBenefit.moveOverheadMillis(view, job);
    }

    public boolean pays() {
        return gainMillis > MIN_RATIO * costMillis;
    }

    private static double speed(View view, JobView job, Allocation place) {
        return (double) SpeedModel.speedAlone(job.job(), place, view.topology()).micro() / Speed.UNIT;
    }

    private static List<JobView> neighbours(JobView job, Allocation held, @Nullable CoLocatedJobs coLocated) {
        Map<Long, JobView> found = new TreeMap<>();
        for (int i = 0; coLocated != null && i < held.size(); i++) {
            for (JobView other : coLocated.jobsOn(held.gpu(i))) {
                if (other.id() != job.id()) {
                    found.put(other.id(), other);
                }
            }
        }
        return List.copyOf(found.values());
    }

    /** How many times as long a job takes on its most crowded GPU, with or without one of the others. */
    private static double slowdown(JobView job, @Nullable JobView without, @Nullable CoLocatedJobs coLocated) {
        Allocation held = coLocated == null ? null : coLocated.allocationOf(job);
        double worst = 1;
        for (int i = 0; coLocated != null && held != null && i < held.size(); i++) {
            List<Profile> others = new ArrayList<>();
            for (JobView other : coLocated.jobsOn(held.gpu(i))) {
                if (other.id() != job.id() && (without == null || other.id() != without.id())) {
                    others.add(other.job().profile());
                }
            }
            worst = Math.max(worst, SpeedModel.coRunSlowdown(job.job().profile(), others));
        }
        return worst;
    }
}
