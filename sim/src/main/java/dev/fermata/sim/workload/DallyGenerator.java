package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.SpeedModel;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Jobs like those of the Dally authors' SenseTime traces, drawn from their published figures. These are how many jobs
 * of each model have how many GPUs, and the median and mean of the GPU-hours of a job (log-normal here, whatever its
 * size). Jobs arrive all at once or in a Poisson stream. A job computes as long per iteration on every GPU as the
 * authors' layer profiles say and exchanges its gradients layer by layer; leaving GPUs takes a second for each of them.
 *
 * <p>Figures: github.com/aakash-sharma/cluster-sim, traces "sense_500jobs" (with single GPUs) and "poisson_1proc-week"
 * (without), and its layer files after scaling.
 */
public final class DallyGenerator implements WorkloadGenerator {
    private static final double MIB_PER_MB = 1e6 / 1048576;
    private static final double HOUR_MILLIS = 3_600_000;
    private static final long CHECKPOINT_MILLIS_PER_GPU = 1000;
    private static final int[] SIZES = {1, 2, 3, 4, 8, 16, 32, 40, 48, 56};

    /** A model and how many jobs of each size it has in the trace with and in the trace without single GPUs. */
    private record DallyModel(Profile profile, List<Integer> withSingles, List<Integer> without) {}

    /** Median of the GPU-hours of a job, spread of their logarithm (from median and mean), least and most. */
    private record GpuHourDistribution(double median, double sigma, double min, double max) {}

    private static final DallyModel BERT = model(
            "bert-large",
            66,
            562,
            1.7,
            List.of(94, 4, 0, 7, 15, 5, 0, 0, 0, 0),
            List.of(0, 26, 1, 33, 51, 11, 3, 0, 0, 0));

    private static final List<DallyModel> MODELS = List.of(
            model(
                    "mobilenetv3",
                    52,
                    9.9,
                    0.063,
                    List.of(17, 2, 0, 15, 52, 26, 10, 1, 1, 1),
                    List.of(0, 2, 0, 15, 64, 28, 13, 1, 1, 1)),
            BERT,
            model(
                    "resnet50",
                    54,
                    102,
                    11.8,
                    List.of(67, 7, 0, 16, 27, 7, 1, 0, 0, 0),
                    List.of(0, 13, 0, 34, 59, 12, 7, 0, 0, 0)),
            model(
                    "alexnet",
                    8,
                    244,
                    1.2,
                    List.of(27, 0, 0, 9, 13, 4, 0, 0, 0, 0),
                    List.of(0, 0, 0, 9, 14, 5, 0, 1, 0, 0)),
            model(
                    "resnet18",
                    21,
                    46.7,
                    0.18,
                    List.of(35, 0, 0, 3, 0, 0, 0, 0, 0, 0),
                    List.of(0, 0, 0, 3, 0, 0, 0, 0, 0, 0)),
            model(
                    "vgg11",
                    11,
                    531,
                    3.8,
                    List.of(30, 0, 0, 2, 2, 0, 0, 0, 0, 0),
                    List.of(0, 0, 0, 2, 2, 0, 0, 0, 0, 0)));
    /** Medians 15.5 and 19.6, means 26.1 and 32.6 GPU-hours: sigma = sqrt(2 ln(mean / median)). */
    private static final GpuHourDistribution WITH_SINGLES = new GpuHourDistribution(15.5, 1.02, 2, 324);

    private static final GpuHourDistribution WITHOUT = new GpuHourDistribution(19.6, 1.01, 2, 324);

    @Override
    public String name() {
        return "dally";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 500, 1, 10_000_000, "number of jobs"),
                GeneratorParameter.number("gap", 0, 0, 1e7, "mean seconds between arrivals; 0: all at once"),
                GeneratorParameter.integer("singles", 1, 0, 1, "1: the trace with jobs of one GPU, 0: the one without"),
                GeneratorParameter.number(
                        "bert", 0, 0, 1, "this share of the jobs trains bert-large whatever was drawn"),
                GeneratorParameter.number("scale", 1, 1e-4, 1e4, "all run times are multiplied by this"));
    }

    /** The models, to be studied one by one. */
    public static List<Profile> profiles() {
        return MODELS.stream().map(DallyModel::profile).toList();
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        boolean singles = values.integer("singles") == 1;
        GpuHourDistribution hours = singles ? WITH_SINGLES : WITHOUT;
        double[] cells = MODELS.stream()
                .flatMap(m -> (singles ? m.withSingles : m.without).stream())
                .mapToDouble(count -> count)
                .toArray();
        int largest = SyntheticGenerator.largestGang(topology, 0);
        Rng shapes = Rng.stream(seed, 1);
        Rng work = Rng.stream(seed, 2);
        Rng arrivals = Rng.stream(seed, 3);
        Rng others = Rng.stream(seed, 4);
        List<SimulatedJob> jobs = new ArrayList<>();
        double at = 0;
        for (int i = 1; i <= values.integer("jobs"); i++) {
            int cell = shapes.weightedIndex(cells);
            boolean forcedBert = others.uniform() < values.number("bert");
            Profile profile = forcedBert ? BERT.profile : MODELS.get(cell / SIZES.length).profile;
            int gpus = Math.min(largest, SIZES[cell % SIZES.length]);
            double drawn = work.logNormal(hours.median, hours.sigma);
            double gpuHours = Math.max(hours.min, Math.min(hours.max, drawn)) * values.number("scale");
            at += values.number("gap") == 0 ? 0 : arrivals.exponential(values.number("gap"));
            jobs.add(job(i, gpus, profile, gpuHours, at, topology));
        }
        return new Workload(workload, jobs);
    }

    /** A job that would compute this many GPU-hours without a network. */
    public static SimulatedJob job(
            long id, int gpus, Profile profile, double gpuHours, double submitSeconds, Topology topology) {
        Job job = Job.builder(id, gpus)
                .name(profile.model() + "-" + id)
                .demand(Demand.gpus(gpus))
                .profile(profile)
                .costs(new Costs(CHECKPOINT_MILLIS_PER_GPU * gpus, 0, 0, 0))
                .build();
        double ideal = gpuHours / gpus * HOUR_MILLIS;
        // the trace has times without a network; a duration here is that in the closest placement
        double speed = profile.speedOn(topology.types().get(0));
        double duration = ideal * SpeedModel.speedWithoutNetwork(job, topology, 0) / speed;
        return SimulatedJob.of(job, Math.round(submitSeconds * 1000), Math.max(1, Math.round(duration)));
    }

    private static DallyModel model(
            String name,
            int layers,
            double megabytes,
            double millis,
            List<Integer> withSingles,
            List<Integer> without) {
        Profile profile = new Profile(name, millis, 1, megabytes * MIB_PER_MB, layers, 0, Map.of());
        return new DallyModel(profile, withSingles, without);
    }
}
