package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * The synthetic workload of FitGpp (OpML 2019), of trials and batch jobs. Run times, demands and grace periods follow
 * truncated normal distributions. Jobs are submitted so that under blocking first come, first served the demand of all
 * live jobs stays at {@code load} times the capacity.
 *
 * <p>Every job fits on one node. CPU and RAM are drawn for the whole job and divided among its GPUs. A pause takes the grace
 * period and saves everything. Means and deviations are those of the normal distribution before it is cut. GPUs are
 * rounded to whole ones; with {@code halves} a job of less than three quarters of a GPU asks for half of one.
 */
public final class FitGppGenerator implements WorkloadGenerator {
    private static final double DAY_SECONDS = 86_400;
    /** CPUs and RAM of the paper's nodes, for clusters that state none. */
    private static final double DEFAULT_CPUS = 32;

    private static final double DEFAULT_GIB = 256;
    private static final double MILLI = 1000;
    private static final double MIB_PER_GIB = 1024;
    /** With halves, less than this of a GPU is half a GPU. */
    private static final double HALF_BELOW = 0.75;

    private static final int HALF_MILLI = 500;
    private static final int WHOLE_MILLI = 1000;
    /** Two jobs of half a GPU each have what they ask for: neither slows the other. */
    private static final Profile HALF = new Profile("half-gpu", 1, 0.5, 0, 1, 0, Map.of(), Map.of("half-gpu", 1.0));

    /** A normal distribution, cut to a range. */
    record TruncatedNormal(double mean, double sd, double min, double max) {
        /** By rejection: the mean is inside the range, so half the draws or more fall on its nearer side. */
        double draw(Rng rng) {
            if (sd == 0) {
                return mean;
            }
            double value;
            do {
                value = mean + sd * rng.gaussian();
            } while (value < min || value > max);
            return value;
        }
    }

    /** What one class of jobs looks like. */
    private record ClassDistribution(TruncatedNormal seconds, TruncatedNormal gpus) {}

    @Override
    public String name() {
        return "fitgpp";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 8192, 1, 20_000_000, "number of jobs"),
                GeneratorParameter.number(
                        "load", 2, 0.01, 100, "demand of waiting and running jobs under fifo over the capacity"),
                GeneratorParameter.number("trial", 0.3, 0, 1, "share of trial jobs"),
                GeneratorParameter.number("te-mean", 300, 1, 1e7, "run time of trial jobs in seconds"),
                GeneratorParameter.number("te-sd", 300, 0, 1e6, "its standard deviation"),
                GeneratorParameter.number("te-min", 60, 1, 1e7, "shortest trial job in seconds"),
                GeneratorParameter.number("te-max", 1800, 1, 1e7, "longest trial job in seconds"),
                GeneratorParameter.number("te-gpus", 1, 0.5, 1000, "GPUs of trial jobs"),
                GeneratorParameter.number("te-gpus-sd", 1, 0, 1000, "its standard deviation"),
                GeneratorParameter.number("be-mean", 1800, 1, 1e7, "run time of batch jobs in seconds"),
                GeneratorParameter.number("be-sd", 1800, 0, 1e6, "its standard deviation"),
                GeneratorParameter.number("be-min", 60, 1, 1e7, "shortest batch job in seconds"),
                GeneratorParameter.number("be-max", DAY_SECONDS, 1, 1e7, "longest batch job in seconds"),
                GeneratorParameter.number("be-gpus", 2, 0.5, 1000, "GPUs of batch jobs"),
                GeneratorParameter.number("be-gpus-sd", 2, 0, 1000, "its standard deviation"),
                GeneratorParameter.integer("halves", 0, 0, 1, "1: jobs may ask for half a GPU"),
                GeneratorParameter.number("cpu", 4, 0, 10_000, "CPUs of a job"),
                GeneratorParameter.number("cpu-sd", 4, 0, 10_000, "its standard deviation"),
                GeneratorParameter.number("ram", 32, 0, 100_000, "RAM of a job in GiB"),
                GeneratorParameter.number("ram-sd", 32, 0, 100_000, "its standard deviation"),
                GeneratorParameter.number("gp-mean", 180, 0, 1e6, "grace period in seconds: what a pause takes"),
                GeneratorParameter.number("gp-sd", 180, 0, 1e6, "its standard deviation"),
                GeneratorParameter.number("gp-max", 1200, 0, 1e6, "longest grace period in seconds"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        Node largest = topology.nodes().stream()
                .max(Comparator.comparingInt(Node::gpus).thenComparing(Node::index, Comparator.reverseOrder()))
                .orElseThrow();
        double cpus = largest.cpuMilli() == Node.UNLIMITED ? DEFAULT_CPUS : largest.cpuMilli() / MILLI;
        double gib = largest.memoryMib() == Node.UNLIMITED ? DEFAULT_GIB : largest.memoryMib() / MIB_PER_GIB;
        boolean halves = values.integer("halves") == 1;
        ClassDistribution trial = distribution(workload, values, "te", largest.gpus());
        ClassDistribution batch = distribution(workload, values, "be", largest.gpus());
        TruncatedNormal cpu = truncatedNormal(workload, "cpu", values.number("cpu"), values.number("cpu-sd"), 0, cpus);
        TruncatedNormal ram = truncatedNormal(workload, "ram", values.number("ram"), values.number("ram-sd"), 0, gib);
        TruncatedNormal grace = truncatedNormal(
                workload, "gp-mean", values.number("gp-mean"), values.number("gp-sd"), 0, values.number("gp-max"));
        Rng rng = Rng.stream(seed, 11);
        FifoLoadModel loop = new FifoLoadModel(topology, values.number("load"));
        List<SimulatedJob> jobs = new ArrayList<>(values.integer("jobs"));
        for (int id = 1; id <= values.integer("jobs"); id++) {
            boolean small = rng.uniform() < values.number("trial");
            ClassDistribution shape = small ? trial : batch;
            double drawnGpus = shape.gpus.draw(rng);
            boolean half = halves && drawnGpus < HALF_BELOW;
            int gpus = (int) Math.max(1, Math.round(drawnGpus));
            long cpuMilli = (long) (cpu.draw(rng) * MILLI / gpus);
            long mib = (long) (ram.draw(rng) * MIB_PER_GIB / gpus);
            long graceMillis = Math.round(grace.draw(rng) * MILLI);
            long duration = Math.max(1, Math.round(shape.seconds.draw(rng) * MILLI));
            Job job = Job.builder(id, gpus)
                    .name((small ? "trial-" : "batch-") + id)
                    .jobClass(small ? JobClass.TRIAL : JobClass.BATCH)
                    .demand(new Demand(gpus, gpus, 0, half ? HALF_MILLI : WHOLE_MILLI, List.of(), cpuMilli, mib))
                    .profile(half ? HALF : Profile.UNKNOWN)
                    .costs(new Costs(graceMillis, 0, 0, 0))
                    .graceMillis(graceMillis)
                    .build();
            jobs.add(SimulatedJob.of(job, loop.submit(job.demand(), duration), duration));
        }
        return new Workload(workload, jobs);
    }

    private static ClassDistribution distribution(String workload, GeneratorValues values, String of, int nodeGpus) {
        TruncatedNormal seconds = truncatedNormal(
                workload,
                of + "-mean",
                values.number(of + "-mean"),
                values.number(of + "-sd"),
                values.number(of + "-min"),
                values.number(of + "-max"));
        TruncatedNormal gpus = truncatedNormal(
                workload,
                of + "-gpus",
                values.number(of + "-gpus"),
                values.number(of + "-gpus-sd"),
                values.integer("halves") == 1 ? HALF_BELOW / 3 : 0.5,
                Math.nextDown(nodeGpus + 0.5));
        return new ClassDistribution(seconds, gpus);
    }

    private static TruncatedNormal truncatedNormal(
            String workload, String parameter, double mean, double sd, double min, double max) {
        if (mean < min || mean > max) {
            throw new IllegalArgumentException("workload '" + workload + "': " + parameter + " (" + formatNumber(mean)
                    + ") must be inside the range it is cut to, " + formatNumber(min) + " to " + formatNumber(max));
        }
        return new TruncatedNormal(mean, sd, min, max);
    }

    private static String formatNumber(double value) {
        return value == Math.rint(value)
                ? Long.toString((long) value)
                : String.format(java.util.Locale.ROOT, "%.1f", value);
    }
}
