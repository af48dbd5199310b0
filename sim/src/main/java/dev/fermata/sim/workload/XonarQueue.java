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
 * {@code docs/policies/xonar.md}). All jobs are there at the start unless {@code gap} spreads them.
 */
public final class XonarQueue implements Generator {
    private static final List<String> DATASETS = List.of("cifar10", "imagenet");
    /** Nobody pauses these jobs in the paper; for policies that do, what small models take on a local disk. */
    private static final long PAUSE_MILLIS = 2000;

    private static final long RESTORE_MILLIS = 1000;

    @Override
    public String name() {
        return "xonar";
    }

    @Override
    public List<Knob> knobs() {
        return List.of(
                Knob.whole("jobs", 10, 1, 20_000_000, "number of jobs"),
                Knob.whole("iterations", 100, 1, 1e9, "batches each job trains"),
                Knob.number("boot", 25, 0, 1e6, "seconds a job loads before it trains"),
                Knob.number("gap", 0, 0, 1e7, "mean seconds between arrivals (Poisson); 0: all at the start"),
                Knob.whole("gpus", 2, 1, 1_000_000, "GPUs of each job"));
    }

    @Override
    public Workload generate(String workload, Values values, Topology topology, long seed) {
        Rng rng = Rng.stream(seed, 1);
        Rng arrivals = Rng.stream(seed, 2);
        int most = topology.types().stream().mapToInt(GpuType::memoryMib).max().orElse(0);
        if (XonarProfiles.all().stream()
                .flatMap(row -> row.byBatch().values().stream())
                .noneMatch(p -> p.peakMemoryMib() <= most)) {
            throw new IllegalArgumentException("workload '" + workload + "': no job fits a GPU of " + most + " MiB");
        }
        List<TrueJob> jobs = new ArrayList<>();
        double at = 0;
        for (int id = 1; id <= values.whole("jobs"); id++) {
            Profile profile = draw(rng, most);
            jobs.add(job(id, profile, values, at));
            at += values.number("gap") == 0 ? 0 : arrivals.exponential(values.number("gap"));
        }
        return new Workload(workload, jobs);
    }

    /** One of the authors' jobs. */
    private static TrueJob job(long id, Profile profile, Values values, double submitSeconds) {
        return job(
                id,
                profile,
                values.whole("gpus"),
                values.whole("iterations"),
                Math.round(values.number("boot") * 1000),
                Math.round(submitSeconds * 1000));
    }

    /** A job of this profile that trains so many batches on GPUs it may share. */
    public static TrueJob job(long id, Profile profile, int gpus, int iterations, long bootMillis, long submitMillis) {
        long duration = Math.max(1, Math.round(iterations * profile.iterationMillis()));
        Job job = Job.builder(id, gpus)
                .name(profile.model() + "-" + id)
                .demand(new Demand(gpus, gpus, profile.peakMemoryMib(), 1000, List.of(), 0, 0))
                .profile(profile)
                .costs(new Costs(PAUSE_MILLIS, bootMillis, RESTORE_MILLIS, 0))
                .declaredMillis(duration)
                .iterations(iterations)
                .build();
        return TrueJob.of(job, submitMillis, duration);
    }

    private static Profile draw(Rng rng, int memoryMib) {
        while (true) {
            List<XonarProfiles.Row> rows = XonarProfiles.of(DATASETS.get(rng.below(DATASETS.size())));
            XonarProfiles.Row row = rows.get(rng.below(rows.size()));
            Profile profile = row.byBatch().get(XonarProfiles.BATCHES.get(rng.below(XonarProfiles.BATCHES.size())));
            if (profile != null && profile.peakMemoryMib() <= memoryMib) {
                return profile;
            }
        }
    }
}
