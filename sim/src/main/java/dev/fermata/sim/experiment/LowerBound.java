package dev.fermata.sim.experiment;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.engine.ModelError;
import dev.fermata.sim.engine.TrueModel;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;

/**
 * A mean completion time that no schedule can beat on this workload and cluster. It is the best of three relaxations,
 * each with every job at its fastest on this cluster.
 *
 * <ol>
 *   <li>No job is faster than its own load and run time.
 *   <li>All GPUs as one pool that works on GPU-time alone, whatever the gang size: there SRPT is optimal (Schrage 1968).
 *   <li>On the same pool the mean busy times are least when the job of smallest area goes first (Goemans 1997), and
 *       every job ends at least half its own run time after its mean busy time.
 * </ol>
 *
 * <p>Areas count only the time a GPU really works, since jobs may share a GPU. O(n · (nodes + log n)).
 */
public final class LowerBound {
    /** Speeds are rounded to millionths; the bound allows for that. */
    private static final double ROUNDING = 1 - 2e-6;

    private LowerBound() {}

    /** Seconds. */
    public static double meanJctSeconds(Workload workload, Topology topology) {
        return meanJctSeconds(workload, topology, new TrueModel(topology, ModelError.NONE, 0));
    }

    /** The same where jobs run as this model says. */
    public static double meanJctSeconds(Workload workload, Topology topology, TrueModel model) {
        List<SimulatedJob> jobs = workload.jobs().stream()
                .filter(j -> isFeasible(j.job(), topology))
                .map(model::trueJob)
                .toList();
        int n = jobs.size();
        if (n == 0) {
            return 0;
        }
        double[] release = new double[n];
        double[] runTime = new double[n];
        double ownTimes = 0;
        double[] area = new double[n];
        for (int i = 0; i < n; i++) {
            SimulatedJob job = jobs.get(i);
            double run = job.durationMillis() / maxSpeed(job.job(), topology);
            release[i] = job.submitMillis();
            runTime[i] = run;
            ownTimes += run + job.costs(1).firstLoadMillis();
            // busy shares do not bound what two co-located jobs need that differ from the formula
            double busy = job.job().profile().coRunSlowdown().isEmpty() && model.coRunsAsPredicted()
                    ? job.job().profile().busyShare()
                    : 0;
            double share = Math.min(busy, job.job().demand().gpuMilli() / 1000.0);
            area[i] = run * job.job().demand().maxGpus() * share / topology.gpuCount();
        }
        double best = Math.max(ownTimes, Math.max(pooledSrpt(release, area), busyTimes(release, area, runTime)));
        return best / n / 1000 * ROUNDING;
    }

    private static boolean isFeasible(Job job, Topology topology) {
        long types = job.demand().eligibleTypes(topology);
        for (int t = 0; t < topology.types().size(); t++) {
            if ((types >> t & 1) != 0
                    && availableGpus(job, topology, t) >= job.demand().minGpus()) {
                return true;
            }
        }
        return false;
    }

    private static int availableGpus(Job job, Topology topology, int type) {
        if (!job.demand().needsHostResources()) {
            return topology.gpuCount(type);
        }
        int available = 0;
        for (Node node : topology.nodes()) {
            available += node.type() == type ? job.demand().maxGpusOn(node) : 0;
        }
        return available;
    }

    /**
     * The best speed that the job could have here: alone, in one place, on its best type. Where its size or its types
     * may be chosen, the network is left out: another size may communicate less, and a gang of several types may be
     * closer together than one of its best type.
     */
    private static double maxSpeed(Job job, Topology topology) {
        int full = job.demand().maxGpus();
        boolean mixed = full > 1 && Long.bitCount(job.demand().eligibleTypes(topology)) > 1;
        boolean elastic = job.demand().minGpus() < full || mixed;
        double best = 0;
        for (int type = 0; type < topology.types().size(); type++) {
            double speed = elastic
                    ? SpeedModel.speedWithoutNetwork(job, topology, type)
                    : (double) SpeedModel.speedAlone(job, topology, type, full, topology.tightest(type, full))
                                    .micro()
                            / Speed.UNIT;
            best = Math.max(best, speed);
        }
        return best;
    }

    /** Sum of completion minus release under SRPT on one machine. */
    static double pooledSrpt(double[] release, double[] work) {
        double[] left = work.clone();
        return runPool(release, left, (a, b) -> {
            int byLeft = Double.compare(left[a], left[b]);
            return byLeft != 0 ? byLeft : Integer.compare(a, b);
        })[0];
    }

    /** Sum over jobs of mean busy time minus release plus half the run time, smallest work first on one machine. */
    static double busyTimes(double[] release, double[] work, double[] runTime) {
        double[] left = work.clone();
        double busy = runPool(release, left, (a, b) -> {
            int byWork = Double.compare(work[a], work[b]);
            return byWork != 0 ? byWork : Integer.compare(a, b);
        })[1];
        return busy + Arrays.stream(runTime).sum() / 2;
    }

    /**
     * Runs one preemptive machine by the given order; returns sums of (completion - release) and (mean busy - release).
     */
    private static double[] runPool(double[] release, double[] left, java.util.Comparator<Integer> order) {
        double[] work = left.clone();
        PriorityQueue<Integer> ready = new PriorityQueue<>(order);
        double completion = 0;
        double busy = 0;
        double now = 0;
        int next = 0;
        while (next < release.length || !ready.isEmpty()) {
            if (ready.isEmpty()) {
                now = Math.max(now, release[next]);
            }
            while (next < release.length && release[next] <= now) {
                ready.add(next++);
            }
            int job = ready.remove();
            boolean done = next == release.length || now + left[job] <= release[next];
            double until = done ? now + left[job] : release[next];
            double span = until - now;
            busy += work[job] == 0 ? 0 : ((now + until) / 2 - release[job]) * span / work[job];
            left[job] -= span;
            now = until;
            if (done) {
                completion += now - release[job];
            } else {
                ready.add(job);
            }
        }
        return new double[] {completion, busy};
    }
}
