package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Node;
import dev.fermata.core.model.Topology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The synthetic workload of FitGpp (OpML 2019): trial and batch jobs whose run times, demands and grace periods follow
 * truncated normal distributions, submitted so that under blocking first come, first served the demand of all jobs waiting
 * and running stays at {@code load} times what the cluster has.
 *
 * <p>Every job fits on one node. CPU and RAM are drawn for the whole job and divided among its GPUs. A pause takes the grace
 * period and saves everything. Means and deviations are those of the normal distribution before it is cut.
 */
public final class FitGppLoad implements Generator {
    private static final double DAY_SECONDS = 86_400;
    /** CPUs and RAM of the paper's nodes, for clusters that state none. */
    private static final double USUAL_CPUS = 32;

    private static final double USUAL_GIB = 256;
    private static final double MILLI = 1000;
    private static final double MIB_PER_GIB = 1024;

    /** A normal distribution, cut to a range. */
    record Cut(double mean, double sd, double min, double max) {
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
    private record Shape(Cut seconds, Cut gpus) {}

    @Override
    public String name() {
        return "fitgpp";
    }

    @Override
    public List<Knob> knobs() {
        return List.of(
                Knob.whole("jobs", 8192, 1, 20_000_000, "number of jobs"),
                Knob.number("load", 2, 0.01, 100, "demand of jobs waiting and running under fifo over what there is"),
                Knob.number("trial", 0.3, 0, 1, "share of trial jobs"),
                Knob.number("te-mean", 300, 1, 1e7, "run time of trial jobs in seconds"),
                Knob.number("te-sd", 300, 0, 1e6, "its standard deviation"),
                Knob.number("te-min", 60, 1, 1e7, "shortest trial job in seconds"),
                Knob.number("te-max", 1800, 1, 1e7, "longest trial job in seconds"),
                Knob.number("te-gpus", 1, 0.5, 1000, "GPUs of trial jobs"),
                Knob.number("te-gpus-sd", 1, 0, 1000, "its standard deviation"),
                Knob.number("be-mean", 1800, 1, 1e7, "run time of batch jobs in seconds"),
                Knob.number("be-sd", 1800, 0, 1e6, "its standard deviation"),
                Knob.number("be-min", 60, 1, 1e7, "shortest batch job in seconds"),
                Knob.number("be-max", DAY_SECONDS, 1, 1e7, "longest batch job in seconds"),
                Knob.number("be-gpus", 2, 0.5, 1000, "GPUs of batch jobs"),
                Knob.number("be-gpus-sd", 2, 0, 1000, "its standard deviation"),
                Knob.number("cpu", 4, 0, 10_000, "CPUs of a job"),
                Knob.number("cpu-sd", 4, 0, 10_000, "its standard deviation"),
                Knob.number("ram", 32, 0, 100_000, "RAM of a job in GiB"),
                Knob.number("ram-sd", 32, 0, 100_000, "its standard deviation"),
                Knob.number("gp-mean", 180, 0, 1e6, "grace period in seconds: what a pause takes"),
                Knob.number("gp-sd", 180, 0, 1e6, "its standard deviation"),
                Knob.number("gp-max", 1200, 0, 1e6, "longest grace period in seconds"));
    }

    @Override
    public Workload generate(String workload, Values values, Topology topology, long seed) {
        Node largest = topology.nodes().stream()
                .max(Comparator.comparingInt(Node::gpus).thenComparing(Node::index, Comparator.reverseOrder()))
                .orElseThrow();
        double cpus = largest.cpuMilli() == Node.UNLIMITED ? USUAL_CPUS : largest.cpuMilli() / MILLI;
        double gib = largest.memoryMib() == Node.UNLIMITED ? USUAL_GIB : largest.memoryMib() / MIB_PER_GIB;
        Shape trial = shape(workload, values, "te", largest.gpus());
        Shape batch = shape(workload, values, "be", largest.gpus());
        Cut cpu = cut(workload, "cpu", values.number("cpu"), values.number("cpu-sd"), 0, cpus);
        Cut ram = cut(workload, "ram", values.number("ram"), values.number("ram-sd"), 0, gib);
        Cut grace =
                cut(workload, "gp-mean", values.number("gp-mean"), values.number("gp-sd"), 0, values.number("gp-max"));
        Rng rng = Rng.stream(seed, 11);
        FifoLoop loop = new FifoLoop(topology, values.number("load"));
        List<TrueJob> jobs = new ArrayList<>(values.whole("jobs"));
        for (int id = 1; id <= values.whole("jobs"); id++) {
            boolean small = rng.uniform() < values.number("trial");
            Shape shape = small ? trial : batch;
            int gpus = (int) Math.max(1, Math.round(shape.gpus.draw(rng)));
            long cpuMilli = (long) (cpu.draw(rng) * MILLI / gpus);
            long mib = (long) (ram.draw(rng) * MIB_PER_GIB / gpus);
            long graceMillis = Math.round(grace.draw(rng) * MILLI);
            long duration = Math.max(1, Math.round(shape.seconds.draw(rng) * MILLI));
            Job job = Job.builder(id, gpus)
                    .name((small ? "trial-" : "batch-") + id)
                    .jobClass(small ? JobClass.TRIAL : JobClass.BATCH)
                    .demand(new Demand(gpus, gpus, 0, 1000, List.of(), cpuMilli, mib))
                    .costs(new Costs(graceMillis, 0, 0, 0))
                    .graceMillis(graceMillis)
                    .build();
            jobs.add(TrueJob.of(job, loop.submit(job.demand(), duration), duration));
        }
        return new Workload(workload, jobs);
    }

    private static Shape shape(String workload, Values values, String of, int nodeGpus) {
        Cut seconds = cut(
                workload,
                of + "-mean",
                values.number(of + "-mean"),
                values.number(of + "-sd"),
                values.number(of + "-min"),
                values.number(of + "-max"));
        Cut gpus = cut(
                workload,
                of + "-gpus",
                values.number(of + "-gpus"),
                values.number(of + "-gpus-sd"),
                0.5,
                Math.nextDown(nodeGpus + 0.5));
        return new Shape(seconds, gpus);
    }

    private static Cut cut(String workload, String knob, double mean, double sd, double min, double max) {
        if (mean < min || mean > max) {
            throw new IllegalArgumentException("workload '" + workload + "': " + knob + " (" + show(mean)
                    + ") must be inside the range it is cut to, " + show(min) + " to " + show(max));
        }
        return new Cut(mean, sd, min, max);
    }

    private static String show(double value) {
        return value == Math.rint(value)
                ? Long.toString((long) value)
                : String.format(java.util.Locale.ROOT, "%.1f", value);
    }
}
