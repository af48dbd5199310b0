package example;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.Topology;
import dev.fermata.sim.workload.Rng;
import dev.fermata.sim.workload.SimulatedJob;
import dev.fermata.sim.workload.Workload;
import dev.fermata.sim.workload.WorkloadGenerator;
import java.util.ArrayList;
import java.util.List;

/** The generator {@code bursts}: jobs of 1 to 4 GPUs, submitted in groups at the same instant. */
public final class Bursts implements WorkloadGenerator {
    @Override
    public String name() {
        return "bursts";
    }

    @Override
    public List<GeneratorParameter> parameters() {
        return List.of(
                GeneratorParameter.integer("jobs", 100, 1, 1_000_000, "number of jobs"),
                GeneratorParameter.integer("burst", 10, 1, 1_000_000, "jobs submitted at the same instant"),
                GeneratorParameter.number("gap", 600, 1, 1e7, "seconds from one burst to the next"),
                GeneratorParameter.number("work", 900, 1, 1e7, "mean run time of a job in seconds"));
    }

    @Override
    public Workload generate(String workload, GeneratorValues values, Topology topology, long seed) {
        Rng rng = Rng.stream(seed, 1);
        List<SimulatedJob> jobs = new ArrayList<>();
        for (int id = 1; id <= values.integer("jobs"); id++) {
            int burst = (id - 1) / values.integer("burst");
            long submitMillis = Math.round(1000 * burst * values.number("gap"));
            long runMillis = Math.max(1000, Math.round(1000 * rng.exponential(values.number("work"))));
            Job job = Job.builder(id, 1 << rng.uniformInt(3)).name("burst-" + id).build();
            jobs.add(SimulatedJob.of(job, submitMillis, runMillis));
        }
        return new Workload(workload, jobs);
    }
}
