package dev.fermata.sim.workload;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Jobs shaped like what is published about deep-learning clusters (Philly, Helios, PAI). Most jobs are small and short,
 * and a heavy tail of long ones holds most of the GPU-time. Gangs are powers of two, arrivals follow day and night, and
 * few users submit most. A share of the jobs are trials: one or two GPUs, minutes.
 *
 * <p>Arrivals are spread so that the work submitted is {@code load} times what the cluster can do in that time.
 */
public final class SyntheticGenerator implements WorkloadGenerator {
    private static final double DAY_SECONDS = 86_400;
    private static final int[] GANGS = {1, 2, 4, 8, 16, 32, 64};
    private static final double[] GANG_WEIGHTS = {0.62, 0.11, 0.12, 0.10, 0.03, 0.015, 0.005};
    private static final long CHECKPOINT_MILLIS = 1_800_000;

    /** An elastic gang runs on this part of its GPUs at least. */
    private static final int MOST_SHRUNK = 4;

    /**
     * What to generate.
     *
     * @param load submitted GPU-time over the GPU-time the cluster has while jobs arrive
     * @param trial share of trial jobs
     * @param medianSeconds median duration of batch jobs
     * @param sigma spread of batch durations (standard deviation of the logarithm)
     * @param maxGpus largest gang
     * @param diurnal 0 for a steady stream, 1 for nights without arrivals
     * @param elastic share of the gangs that also run on fewer GPUs, down to a quarter
     */
    private record SyntheticParameters(
            int jobs,
            double load,
            double trial,
            double medianSeconds,
            double sigma,
            int maxGpus,
            double diurnal,
            int users,
            double elastic) {}

    @Override
    public String name() {
        return "synthetic";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 2000, 1, 20_000_000, "number of jobs"),
                GeneratorParameter.number(
                        "load", 0.9, 0.01, 100, "work submitted over what the cluster can do meanwhile"),
                GeneratorParameter.number("trial", 0.3, 0, 1, "share of trial jobs"),
                GeneratorParameter.number(
                        "median", 1200, 1, 1e7, "median duration of batch jobs of one GPU, in seconds"),
                GeneratorParameter.number("sigma", 1.5, 0, 4, "spread of batch durations (of the logarithm)"),
                GeneratorParameter.integer("max-gpus", 64, 1, 1_000_000, "largest gang"),
                GeneratorParameter.number("diurnal", 0.6, 0, 1, "0: steady arrivals, 1: none at night"),
                GeneratorParameter.integer("users", 50, 1, 1_000_000, "number of users"),
                GeneratorParameter.number(
                        "elastic", 0, 0, 1, "share of the gangs that also run on fewer GPUs, down to a quarter"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        SyntheticParameters shape = new SyntheticParameters(
                values.integer("jobs"),
                values.number("load"),
                values.number("trial"),
                values.number("median"),
                values.number("sigma"),
                values.integer("max-gpus"),
                values.number("diurnal"),
                values.integer("users"),
                values.number("elastic"));
        return generate(workload, shape, topology, seed);
    }

    private static Workload generate(String name, SyntheticParameters shape, Topology topology, long seed) {
        Rng sizes = Rng.stream(seed, 1);
        Rng arrivals = Rng.stream(seed, 2);
        Rng elastic = Rng.stream(seed, 3); // of its own: the jobs of a seed stay the same otherwise
        List<JobDraft> drafts = new ArrayList<>(shape.jobs);
        double work = 0;
        for (int i = 0; i < shape.jobs; i++) {
            JobDraft draft = draft(shape, topology, sizes);
            drafts.add(draft);
            work += draft.seconds * draft.gpus / speed(draft, topology);
        }
        double span = work / (shape.load * topology.gpuCount());
        List<SimulatedJob> jobs = new ArrayList<>(shape.jobs);
        double[] times = arrivals(shape, span, arrivals);
        for (int i = 0; i < shape.jobs; i++) {
            JobDraft draft = drafts.get(i);
            boolean isElastic = draft.gpus > 1 && elastic.uniform() < shape.elastic;
            int least = isElastic ? Math.max(1, draft.gpus / MOST_SHRUNK) : draft.gpus;
            jobs.add(draft.job(i + 1, times[i], least));
        }
        return new Workload(name, jobs);
    }

    private record JobDraft(
            boolean trial, int gpus, double seconds, ModelProfile model, int user, double declaredFactor) {

        SimulatedJob job(long id, double submitSeconds, int minGpus) {
            Demand demand = new Demand(minGpus, gpus, model.reference().peakMemoryMib(), 1000, List.of(), 0, 0);
            long duration = Math.max(1000, Math.round(seconds * 1000));
            Job job = Job.builder(id, gpus)
                    .name(model.reference().model() + "-" + id)
                    .user("user" + user)
                    .jobClass(trial ? JobClass.TRIAL : JobClass.BATCH)
                    .demand(demand)
                    .profile(model.reference())
                    .costs(model.costs())
                    .declaredMillis(Math.round(duration * declaredFactor))
                    .iterations(
                            Math.max(1, Math.round(duration / model.reference().iterationMillis())))
                    .checkpointMillis(CHECKPOINT_MILLIS)
                    .build();
            return SimulatedJob.of(job, Math.round(submitSeconds * 1000), duration);
        }
    }

    private static JobDraft draft(SyntheticParameters shape, Topology topology, Rng rng) {
        ModelProfile model = pick(rng, largestMemory(topology));
        int largest =
                Math.min(shape.maxGpus, largestGang(topology, model.reference().peakMemoryMib()));
        boolean trial = rng.uniform() < shape.trial;
        int gpus;
        double seconds;
        if (trial) {
            gpus = Math.min(largest, rng.uniform() < 0.85 ? 1 : 2);
            seconds = clamp(rng.logNormal(240, 0.9), 20, 1800);
        } else {
            gpus = GANGS[rng.weightedIndex(GANG_WEIGHTS)];
            while (gpus > largest) {
                gpus = GANGS[rng.weightedIndex(GANG_WEIGHTS)];
            }
            // larger gangs train longer, as in the published traces
            seconds = clamp(rng.logNormal(shape.medianSeconds * Math.sqrt(gpus), shape.sigma), 60, 4 * DAY_SECONDS);
        }
        int user = (int) Math.min(shape.users - 1.0, Math.floor(shape.users * StrictMath.pow(rng.uniform(), 2.5)));
        double declared = 1 + rng.exponential(1.5); // users ask for more than they need
        return new JobDraft(trial, gpus, seconds, model, user, declared);
    }

    /** A model drawn by share among those that fit a GPU of this memory; the smallest when none does. */
    private static ModelProfile pick(Rng rng, int memoryMib) {
        List<ModelProfile> models = ModelCatalogue.generated();
        double[] shares = models.stream()
                .mapToDouble(m ->
                        m.reference().peakMemoryMib() <= memoryMib ? m.shares().generated() : 0)
                .toArray();
        return Arrays.stream(shares).sum() > 0 ? models.get(rng.weightedIndex(shares)) : models.get(0);
    }

    /** A Poisson stream of the given number of jobs over the span, thinned at night; it begins at noon. */
    private static double[] arrivals(SyntheticParameters shape, double span, Rng rng) {
        double[] times = new double[shape.jobs];
        for (int i = 0; i < shape.jobs; i++) {
            double t;
            do {
                t = rng.uniform() * span;
            } while (rng.uniform()
                    > 1 - shape.diurnal * (0.5 + 0.5 * StrictMath.cos(2 * StrictMath.PI * (t / DAY_SECONDS + 0.5))));
            times[i] = t;
        }
        Arrays.sort(times);
        return times;
    }

    /** The largest gang of one type whose memory is enough. */
    static int largestGang(Topology topology, int memoryMib) {
        int largest = 1;
        for (int t = 0; t < topology.types().size(); t++) {
            if (topology.types().get(t).memoryMib() >= memoryMib) {
                largest = Math.max(largest, topology.gpuCount(t));
            }
        }
        return largest;
    }

    private static int largestMemory(Topology topology) {
        return topology.types().stream().mapToInt(GpuType::memoryMib).max().orElse(0);
    }

    /** Mean speed of the cluster for this job, weighted by GPUs. */
    private static double speed(JobDraft draft, Topology topology) {
        double sum = 0;
        for (int t = 0; t < topology.types().size(); t++) {
            sum += topology.gpuCount(t)
                    * draft.model.reference().speedOn(topology.types().get(t));
        }
        return sum / topology.gpuCount();
    }

    private static double clamp(double value, double min, double max) {
        return Math.max(min, Math.min(max, value));
    }
}
