package dev.fermata.core.policy.whole;

import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Shape;
import dev.fermata.core.model.Speed;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import dev.fermata.core.policy.market.Market;
import java.util.Arrays;
import java.util.List;

/**
 * Pending jobs and free GPUs as a market. Rates are the speeds of the job's model. Completion times come from the speed
 * model, with the GPUs as close together as GPUs of these types ever are.
 */
final class GpuMarket implements Market {
    /** Completion times are remembered while the possible counts are no more than this. */
    private static final int MAX_REMEMBERED = 4096;

    private final Topology topology;
    private final int count;
    private final int[] free;
    private final Job[] jobs;
    private final double[] remainingSeconds;
    private final double[][] rates;
    private final int[] favourite;
    private final int[] places;
    private final double[][] known;

    GpuMarket(View view, List<JobView> waiting, int[] free) {
        this.topology = view.topology();
        this.free = free.clone();
        int n = waiting.size();
        count = n;
        int types = free.length;
        jobs = new Job[n];
        remainingSeconds = new double[n];
        rates = new double[n][types];
        favourite = new int[n];
        for (int i = 0; i < n; i++) {
            JobView job = waiting.get(i);
            jobs[i] = job.job();
            remainingSeconds[i] = view.remainingMillis(job) / 1000.0;
            favourite[i] = job.typesByPreference()[0];
            for (int t = 0; t < types; t++) {
                GpuType type = topology.types().get(t);
                rates[i][t] = (job.eligibleTypes() >> t & 1) == 0
                        ? 0
                        : jobs[i].profile().speedOn(type);
            }
        }
        places = new int[types];
        long states = 1;
        for (int t = 0; t < types && states <= MAX_REMEMBERED; t++) {
            places[t] = (int) states;
            states *= free[t] + 1L;
        }
        known = new double[states <= MAX_REMEMBERED ? n : 0][(int) Math.min(states, MAX_REMEMBERED)];
        for (double[] row : known) {
            Arrays.fill(row, -1);
        }
    }

    private GpuMarket(GpuMarket all, int count) {
        this.topology = all.topology;
        this.count = count;
        this.free = all.free;
        this.jobs = all.jobs;
        this.remainingSeconds = all.remainingSeconds;
        this.rates = all.rates;
        this.favourite = all.favourite;
        this.places = all.places;
        this.known = all.known;
    }

    /** The same GPUs for the first few jobs alone; what is known about times is shared. */
    GpuMarket first(int jobCount) {
        return new GpuMarket(this, jobCount);
    }

    /** Whether any job may get one size or another. */
    boolean isElastic() {
        for (int i = 0; i < count; i++) {
            if (minWorkers(i) < maxWorkers(i)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public int jobs() {
        return count;
    }

    @Override
    public int types() {
        return free.length;
    }

    @Override
    public int workers(int type) {
        return free[type];
    }

    @Override
    public double rate(int job, int type) {
        return rates[job][type];
    }

    @Override
    public double work(int job) {
        return remainingSeconds[job] * jobs[job].demand().maxGpus();
    }

    @Override
    public int minWorkers(int job) {
        return jobs[job].demand().minGpus();
    }

    @Override
    public int maxWorkers(int job) {
        return jobs[job].demand().maxGpus();
    }

    @Override
    public boolean splits(int job) {
        return jobs[job].demand().splitsBatch();
    }

    /** Whether all of them may get GPUs of several types. */
    boolean allSplit() {
        for (int i = 0; i < count; i++) {
            if (!splits(i)) {
                return false;
            }
        }
        return true;
    }

    /** As on its favourite type, scaled to this rate. */
    @Override
    public double seconds(int job, double rate, int workers) {
        int type = favourite[job];
        Speed jobSpeed = SpeedModel.speedAlone(jobs[job], topology, type, workers, topology.tightest(type, workers));
        double speed = jobs[job].profile().speedOn(topology.types().get(type));
        return remainingSeconds[job] * Speed.UNIT / jobSpeed.micro() * (workers * speed / rate);
    }

    @Override
    public double seconds(int job, int[] counts) {
        if (known.length == 0) {
            return compute(job, counts);
        }
        int at = 0;
        for (int t = 0; t < counts.length; t++) {
            at += counts[t] * places[t];
        }
        double seconds = known[job][at];
        if (seconds < 0) {
            seconds = compute(job, counts);
            known[job][at] = seconds;
        }
        return seconds;
    }

    private double compute(int job, int[] counts) {
        Speed jobSpeed = SpeedModel.speedOnMixedTypes(jobs[job], topology, counts, closest(counts));
        return remainingSeconds[job] * Speed.UNIT / jobSpeed.micro();
    }

    /** GPUs of one type as close as they get; several types on nodes of their own, in one rack where that is possible. */
    private Shape closest(int[] counts) {
        int gpus = 0;
        int nodes = 0;
        int racks = 0;
        for (int t = 0; t < counts.length; t++) {
            if (counts[t] > 0) {
                Shape alone = topology.tightest(t, counts[t]);
                if (counts[t] == Arrays.stream(counts).sum()) {
                    return alone;
                }
                gpus += counts[t];
                nodes += ceil(counts[t], Math.max(1, topology.largestNode(t)));
                racks = sharesRack(counts, t) ? Math.max(racks, alone.racks()) : racks + alone.racks();
            }
        }
        return Shape.of(gpus, nodes, Math.min(nodes, Math.max(1, racks)));
    }

    /** Whether some rack holds this type and an earlier one of those counted. */
    private boolean sharesRack(int[] counts, int type) {
        for (int t = 0; t < type; t++) {
            if (counts[t] > 0 && topology.shareRack(t, type)) {
                return true;
            }
        }
        return false;
    }

    private static int ceil(int a, int b) {
        return (a + b - 1) / b;
    }
}
