package dev.fermata.bench.agreement;

import dev.fermata.core.model.Costs;
import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobArray;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.live.learning.JobFactory;
import dev.fermata.live.profile.ProfileEstimate;
import dev.fermata.live.profile.ProfileKey;
import dev.fermata.live.profile.ProfileStore;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.SimulatedJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A small random workload in two forms: as users submit it to a daemon, and as a simulation runs it. Short trials, long batch
 * jobs, elastic ones, arrays, jobs that depend on others, with budgets, limits and declared run times.
 */
final class RandomSubmissions {
    static final String USER = "ann";

    /** What is submitted at once. */
    record Submission(long atMillis, List<JobSpec> specs) {}

    private final SplittableRandom random;
    final Topology topology;
    final List<Submission> submissions = new ArrayList<>();
    final List<SimulatedJob> jobs = new ArrayList<>();

    RandomSubmissions(long seed, int count, Costs costs) {
        random = new SplittableRandom(seed);
        GpuType fast = new GpuType("H100", 81_920, 2.0);
        GpuType slow = new GpuType("V100", 32_768, 1.0);
        topology = Topology.builder()
                .rack()
                .node(fast, 4)
                .node(fast, 4)
                .rack()
                .node(slow, 4)
                .node(slow, 2)
                .build();
        long at = 0;
        while (jobs.size() < count) {
            at += 1 + random.nextLong(40_000);
            boolean array = random.nextInt(8) == 0;
            boolean follows = !array && random.nextInt(8) == 0;
            add(at, array ? 2 + random.nextInt(4) : 1, costs, List.of());
            if (follows) {
                long first = jobs.get(jobs.size() - 1).job().id();
                add(at + 1, 1, costs, List.of(new Dependency(first, Dependency.Condition.ANY)));
            }
        }
    }

    private void add(long at, int size, Costs costs, List<Dependency> after) {
        List<JobSpec> specs = new ArrayList<>();
        long first = jobs.size() + 1L;
        JobSpec like = spec(after, JobSpec.ArraySpec.NONE);
        for (int i = 0; i < size; i++) {
            JobSpec spec = size == 1 ? like : like.inArray(new JobSpec.ArraySpec(i, size, 2));
            long id = first + i;
            ProfileEstimate known = new ProfileStore(costs).estimate(ProfileKey.of(spec, "", 0));
            Job job = JobFactory.create(spec, id, USER, known).toBuilder(id)
                    .declaredMillis(Math.round(spec.timeMillis() * JobFactory.speed(spec, topology, known.profile())))
                    .array(size == 1 ? JobArray.NONE : new JobArray(first, i, 2))
                    .build();
            long duration = like.jobClass() == JobClass.TRIAL
                    ? 5_000 + random.nextLong(60_000)
                    : 30_000 + random.nextLong(1_200_000);
            specs.add(spec);
            jobs.add(SimulatedJob.of(job, at, duration));
        }
        submissions.add(new Submission(at, specs));
    }

    private JobSpec spec(List<Dependency> after, JobSpec.ArraySpec array) {
        boolean trial = random.nextInt(3) == 0;
        int gpus = trial ? 1 : 1 << random.nextInt(4);
        boolean elastic = !trial && gpus > 1 && random.nextInt(4) == 0;
        int memory = random.nextInt(3) == 0 ? 0 : 4_000 + random.nextInt(24_000);
        return new JobSpec(
                new JobSpec.JobLabels(
                        trial ? "probe" : "train" + random.nextInt(4),
                        random.nextInt(3) == 0 ? "research/nlp" : "default",
                        trial ? JobClass.TRIAL : JobClass.BATCH),
                new JobSpec.ResourceSpec(
                        elastic ? gpus / 2 : gpus,
                        gpus,
                        random.nextInt(5) == 0 ? List.of("H100") : List.of(),
                        memory,
                        0,
                        0,
                        elastic),
                new JobSpec.SchedulingSpec(
                        random.nextInt(3) == 0 ? 60_000 + random.nextLong(600_000) : 0,
                        random.nextInt(10) == 0 ? 300_000 : 0,
                        random.nextInt(3),
                        false,
                        JobSpec.LocalitySpec.DEFAULT),
                new JobSpec.PreemptSpec(
                        random.nextInt(4) == 0
                                ? 6_000
                                : 60_000, // enough to save: else srtf undoes its own work for ever
                        random.nextInt(4) == 0 ? 45_000 : 0,
                        random.nextInt(4) == 0 ? 1 : Job.UNLIMITED_PREEMPTIONS,
                        "requeue"),
                new JobSpec.CheckpointSpec("TERM", "checkpoints", random.nextInt(3) == 0 ? 20_000 : 0),
                after,
                array,
                new JobSpec.CommandSpec(
                        1, Map.of("SEED", Integer.toString(random.nextInt(100))), List.of(), "", "python train.py"));
    }
}
