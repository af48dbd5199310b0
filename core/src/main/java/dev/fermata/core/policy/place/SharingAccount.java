package dev.fermata.core.policy.place;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Allocation;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.order.JobOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What it gains and costs when a job joins running ones on their GPUs, in milliseconds of completion time summed over jobs.
 *
 * <pre>
 *   gain = W + R - E                       W: its wait for GPUs of its own, R: its run there, E: its run on these GPUs
 *   cost = sum of the delays of the jobs there
 *   area = behind * (GPU-time that it does not need elsewhere - GPU-time that these GPUs are held longer) / all GPUs
 * </pre>
 *
 * E and the delays follow from playing the co-located jobs to their ends. It never changes anything.
 */
public final class SharingAccount {
    /** How long a job would wait for GPUs of its own. */
    public interface Wait {
        void update(View view);

        double millis(View view, JobView job, int type);
    }

    private final JobOrder order;
    private final Wait wait;
    private final double trialWeight;
    private @Nullable View view;

    /** @param trialWeight how many times the completion time of a trial counts */
    public SharingAccount(JobOrder order, Wait wait, double trialWeight) {
        this.order = order;
        this.wait = wait;
        this.trialWeight = trialWeight;
    }

    void update(View now) {
        view = now;
        wait.update(now);
    }

    /** What a search for GPUs to join need not work out again for every place: all places are on one node. */
    record Newcomer(JobView job, double weight, double waitMillis, double runMillis) {}

    /** A job that may join others on GPUs of this type, as many as it needs at least. */
    Newcomer newcomer(JobView job, int type) {
        View now = Objects.requireNonNull(view, "no decision has begun");
        int gpus = job.job().demand().minGpus();
        double speed = (double) SpeedModel.speedAlone(job.job(), now.topology(), type, gpus, Shape.of(gpus, 1, 1))
                        .micro()
                / Speed.UNIT;
        return new Newcomer(job, weight(job), wait.millis(now, job, type), runMillis(now, job, speed));
    }

    /** How fast at most what joining is worth may grow while nothing but time changes: waiting costs, and runs that end sooner. */
    double growthPerMilli(Newcomer joining) {
        View now = Objects.requireNonNull(view, "no decision has begun");
        int gpus = joining.job.job().demand().minGpus();
        return 1
                + joining.weight
                + (double) now.pendingJobs() * gpus / now.topology().gpuCount();
    }

    /** Gain less cost of joining; above 0 it pays. */
    double netMillis(Newcomer joining, int[] gpus, CoRunModel coRuns) {
        View now = Objects.requireNonNull(view, "no decision has begun");
        JobView newcomer = joining.job;
        Topology topology = now.topology();
        List<JobView> neighbours = coRuns.jobsOn(gpus);
        int n = neighbours.size();
        double[] left = new double[n + 1];
        double[] alone = new double[n];
        for (int i = 0; i < n; i++) {
            left[i] = runAloneMillis(now, neighbours.get(i), coRuns.allocationOf(neighbours.get(i)));
        }
        for (int i = 0; i < n; i++) {
            alone[i] = left[i] * coRuns.neighbourSlowdown(neighbours.get(i), null, gpus, List.of());
        }
        double run = joining.runMillis;
        left[n] = run;
        double[] ends = play(newcomer, gpus, neighbours, left, coRuns);
        double net = joining.weight * (joining.waitMillis + run - ends[n]);
        double area = run * gpus.length;
        for (int i = 0; i < n; i++) {
            double delay = Math.max(0, ends[i] - alone[i]);
            Allocation held = coRuns.allocationOf(neighbours.get(i));
            net -= weight(neighbours.get(i)) * delay;
            area -= delay * (held == null ? 0 : held.size());
        }
        for (int gpu : gpus) {
            double until = 0;
            for (int i = 0; i < n; i++) {
                Allocation held = coRuns.allocationOf(neighbours.get(i));
                until = held != null && held.contains(gpu) ? Math.max(until, ends[i]) : until;
            }
            area -= Math.max(0, ends[n] - until);
        }
        double behind = Math.max(0, now.pendingJobs() - 1);
        return net + behind * area / topology.gpuCount();
    }

    private double weight(JobView job) {
        return job.job().jobClass() == JobClass.TRIAL ? trialWeight : 1;
    }

    private double runAloneMillis(View now, JobView job, @Nullable Allocation place) {
        double speed = place == null
                ? 1
                : (double) SpeedModel.speedAlone(job.job(), place, now.topology())
                                .micro()
                        / Speed.UNIT;
        return runMillis(now, job, speed);
    }

    private double runMillis(View now, JobView job, double speed) {
        return Math.min(JobOrder.MAX_HORIZON_MILLIS, order.remainingMillis(job, now) / speed);
    }

    /** When each job ends, the newcomer last: all begin now, and go faster as others end. */
    private static double[] play(
            JobView newcomer, int[] gpus, List<JobView> neighbours, double[] left, CoRunModel coRuns) {
        int n = neighbours.size();
        double[] ends = new double[n + 1];
        boolean[] over = new boolean[n + 1];
        List<JobView> gone = List.of();
        double[] slowdown = new double[n + 1];
        for (int i = 0; i < n; i++) {
            slowdown[i] = coRuns.neighbourSlowdown(neighbours.get(i), newcomer, gpus, gone);
        }
        slowdown[n] = coRuns.newcomerSlowdown(newcomer, gpus, gone);
        double time = 0;
        for (int step = 0; step <= n; step++) {
            int next = -1;
            for (int i = 0; i <= n; i++) {
                if (!over[i]) {
                    next = next < 0 || left[i] * slowdown[i] < left[next] * slowdown[next] ? i : next;
                }
            }
            double passed = left[next] * slowdown[next];
            time += passed;
            for (int i = 0; i <= n; i++) {
                left[i] -= over[i] ? 0 : passed / slowdown[i];
            }
            over[next] = true;
            ends[next] = time;
            if (next < n) {
                gone = gone.isEmpty() ? new ArrayList<>(n) : gone;
                gone.add(neighbours.get(next));
            }
            for (int i = 0; i < n; i++) { // the others go on as before
                if (!over[i] && (next == n || coRuns.meet(neighbours.get(i), neighbours.get(next)))) {
                    slowdown[i] = coRuns.neighbourSlowdown(neighbours.get(i), over[n] ? null : newcomer, gpus, gone);
                }
            }
            slowdown[n] = over[n] ? 0 : coRuns.newcomerSlowdown(newcomer, gpus, gone);
        }
        return ends;
    }
}
