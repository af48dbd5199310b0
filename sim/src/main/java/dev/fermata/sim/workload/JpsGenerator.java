package dev.fermata.sim.workload;

import dev.fermata.core.model.Demand;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.Profile;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.profile.ModelCatalogue;
import dev.fermata.sim.profile.ModelProfile;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Elastic training jobs for clusters of T4, P100 and V100. Models have speeds of their own on each type ({@link
 * JpsModels}). Jobs are submitted at once or as a Poisson stream, with work spread over a factor of 40 as in the static
 * instances of JPS. Memory is not stated, so that every job may run on every
 * type, and each splits its batch by the speed of its GPUs.
 */
public final class JpsGenerator implements WorkloadGenerator {
    private static final double SPREAD = 40;

    @Override
    public String name() {
        return "jps";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 10, 1, 1_000_000, "number of jobs"),
                GeneratorParameter.number("gap", 0, 0, 1e7, "mean seconds between arrivals; 0: all at once"),
                GeneratorParameter.integer("min", 1, 1, 10_000, "fewest GPUs of a job"),
                GeneratorParameter.integer("max", 8, 1, 10_000, "most GPUs of a job"),
                GeneratorParameter.number("work", 14_400, 1, 1e9, "median work of a job, in seconds of one V100"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        int min = values.integer("min");
        int max = values.integer("max");
        if (max < min) {
            throw new IllegalArgumentException(
                    "workload '" + workload + "': max (" + max + ") must not be below min (" + min + ")");
        }
        Rng rng = Rng.stream(seed, 41);
        Rng arrivals = Rng.stream(seed, 42);
        List<SimulatedJob> jobs = new ArrayList<>();
        double at = 0;
        for (int id = 1; id <= values.integer("jobs"); id++) {
            JpsModels.JpsModel model =
                    JpsModels.all().get(rng.uniformInt(JpsModels.all().size()));
            ModelProfile known = ModelCatalogue.named(model.name());
            double work = values.number("work") * StrictMath.exp(StrictMath.log(SPREAD) * (rng.uniform() - 0.5));
            Job job = Job.builder(id, max)
                    .name(model.name() + "-" + id)
                    .demand(new Demand(min, max, 0, 1000, List.of(), 0, 0, true))
                    .profile(profile(model, known.reference()))
                    .costs(known.costs())
                    .declaredMillis(Math.round(1000 * work / max))
                    .build();
            jobs.add(SimulatedJob.of(job, Math.round(at * 1000), Math.max(1000, Math.round(1000 * work / max))));
            at += values.number("gap") > 0 ? arrivals.exponential(values.number("gap")) : 0;
        }
        return new Workload(workload, jobs);
    }

    private static Profile profile(JpsModels.JpsModel model, Profile known) {
        return new Profile(
                model.name(),
                known.iterationMillis(),
                known.busyShare(),
                known.gradientMib(),
                known.layers(),
                0,
                Map.of("T4", model.t4(), "P100", model.p100(), "V100", 1.0));
    }
}
