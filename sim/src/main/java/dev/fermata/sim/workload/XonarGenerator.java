package dev.fermata.sim.workload;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Demand;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.profile.XonarProfiles;
import java.util.ArrayList;
import java.util.List;

/**
 * The Xonar authors' job queues: data set, model and batch size drawn evenly, what does not even fit alone drawn again.
 * Every job trains a hundred batches with one worker on each of two GPUs, after a boot of 25 s (calibrated; see
 * {@code docs/research/policies/xonar.md}). All jobs are there at the start unless {@code gap} spreads them.
 */
public final class XonarGenerator implements WorkloadGenerator {
    private static final List<String> DATASETS = List.of("cifar10", "imagenet");
    /** The paper preempts none of these jobs; for policies that do, the costs of small models on a local disk. */
    private static final long PREEMPT_MILLIS = 2000;

    private static final long RESTORE_MILLIS = 1000;

    @Override
    public String name() {
        return "xonar";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 10, 1, 20_000_000, "number of jobs"),
                GeneratorParameter.integer("iterations", 100, 1, 1e9, "batches each job trains"),
                GeneratorParameter.number("boot", 25, 0, 1e6, "seconds a job loads before it trains"),
                GeneratorParameter.number(
                        "gap", 0, 0, 1e7, "mean seconds between arrivals (Poisson); 0: all at the start"),
                GeneratorParameter.integer("gpus", 2, 1, 1_000_000, "GPUs of each job"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        Rng rng = Rng.stream(seed, 1);
        Rng arrivals = Rng.stream(seed, 2);
        int max = topology.types().stream().mapToInt(GpuType::memoryMib).max().orElse(0);
        if (XonarProfiles.all().stream()
                .flatMap(row -> row.byBatch().values().stream())
                .noneMatch(p -> p.peakMemoryMib() <= max)) {
            throw new IllegalArgumentException("workload '" + workload + "': no job fits a GPU of " + max + " MiB");
        }
        List<SimulatedJob> jobs = new ArrayList<>();
        double at = 0;
        for (int id = 1; id <= values.integer("jobs"); id++) {
            Profile profile = draw(rng, max);
            jobs.add(job(id, profile, values, at));
            at += values.number("gap") == 0 ? 0 : arrivals.exponential(values.number("gap"));
        }
        return new Workload(workload, jobs);
    }

    /** One of the authors' jobs. */
    private static SimulatedJob job(long id, Profile profile, GeneratorValues values, double submitSeconds) {
        return job(
                id,
                profile,
                values.integer("gpus"),
                values.integer("iterations"),
                Math.round(values.number("boot") * 1000),
                Math.round(submitSeconds * 1000));
    }

    /** A job of this profile that trains this many batches on GPUs it may share. */
    public static SimulatedJob job(
            long id, Profile profile, int gpus, int iterations, long bootMillis, long submitMillis) {
        long duration = Math.max(1, Math.round(iterations * profile.iterationMillis()));
        Job job = Job.builder(id, gpus)
                .name(profile.model() + "-" + id)
                .demand(new Demand(gpus, gpus, profile.peakMemoryMib(), 1000, List.of(), 0, 0))
                .profile(profile)
                .costs(new Costs(PREEMPT_MILLIS, bootMillis, RESTORE_MILLIS, 0))
                .declaredMillis(duration)
                .iterations(iterations)
                .build();
        return SimulatedJob.of(job, submitMillis, duration);
    }

    private static Profile draw(Rng rng, int memoryMib) {
        while (true) {
            List<XonarProfiles.XonarProfile> rows = XonarProfiles.of(DATASETS.get(rng.uniformInt(DATASETS.size())));
            XonarProfiles.XonarProfile row = rows.get(rng.uniformInt(rows.size()));
            Profile profile =
                    row.byBatch().get(XonarProfiles.BATCHES.get(rng.uniformInt(XonarProfiles.BATCHES.size())));
            if (profile != null && profile.peakMemoryMib() <= memoryMib) {
                return profile;
            }
        }
    }
}
