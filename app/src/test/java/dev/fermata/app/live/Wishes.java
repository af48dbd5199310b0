package dev.fermata.app.live;

import dev.fermata.core.model.After;
import dev.fermata.core.model.Bundle;
import dev.fermata.core.model.Costs;
import dev.fermata.core.model.GpuType;
import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import dev.fermata.core.model.Topology;
import dev.fermata.live.conductor.Jobs;
import dev.fermata.live.learn.Kind;
import dev.fermata.live.learn.KindBook;
import dev.fermata.live.learn.Knowledge;
import dev.fermata.live.spec.JobSpec;
import dev.fermata.sim.workload.TrueJob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * A small random workload told twice: as what users submit to a daemon, and as what a simulation runs. Short trials, long batch
 * jobs, elastic ones, arrays, jobs that come after others, with budgets, limits and promised run times.
 */
final class Wishes {
    static final String USER = "ann";

    /** What is submitted at once. */
    record Wish(long atMillis, List<JobSpec> specs) {}

    private final SplittableRandom random;
    final Topology topology;
    final List<Wish> wishes = new ArrayList<>();
    final List<TrueJob> jobs = new ArrayList<>();

    Wishes(long seed, int count, Costs costs) {
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
                add(at + 1, 1, costs, List.of(new After(first, After.Wanted.ANY)));
            }
        }
    }

    private void add(long at, int size, Costs costs, List<After> after) {
        List<JobSpec> specs = new ArrayList<>();
        long first = jobs.size() + 1L;
        JobSpec like = spec(after, JobSpec.Array.NONE);
        for (int i = 0; i < size; i++) {
            JobSpec spec = size == 1 ? like : inArray(like, new JobSpec.Array(i, size, 2));
            long id = first + i;
            Knowledge known = new KindBook(costs).knowledge(Kind.of(spec, "", 0));
            Job job = Jobs.of(spec, id, USER, known).toBuilder(id)
                    .declaredMillis(Math.round(spec.timeMillis() * Jobs.speed(spec, topology, known.profile())))
                    .bundle(size == 1 ? Bundle.NONE : new Bundle(first, i, 2))
                    .build();
            long duration = like.jobClass() == JobClass.TRIAL
                    ? 5_000 + random.nextLong(60_000)
                    : 30_000 + random.nextLong(1_200_000);
            specs.add(spec);
            jobs.add(TrueJob.of(job, at, duration));
        }
        wishes.add(new Wish(at, specs));
    }

    private JobSpec spec(List<After> after, JobSpec.Array array) {
        boolean trial = random.nextInt(3) == 0;
        int gpus = trial ? 1 : 1 << random.nextInt(4);
        boolean elastic = !trial && gpus > 1 && random.nextInt(4) == 0;
        int memory = random.nextInt(3) == 0 ? 0 : 4_000 + random.nextInt(24_000);
        return new JobSpec(
                trial ? "probe" : "train" + random.nextInt(4),
                random.nextInt(3) == 0 ? "research/nlp" : "default",
                trial ? JobClass.TRIAL : JobClass.BATCH,
                elastic ? gpus / 2 : gpus,
                gpus,
                random.nextInt(5) == 0 ? List.of("H100") : List.of(),
                memory,
                0,
                0,
                random.nextInt(3) == 0 ? 60_000 + random.nextLong(600_000) : 0,
                random.nextInt(10) == 0 ? 300_000 : 0,
                random.nextInt(3),
                false,
                JobSpec.Locality.ANY,
                new JobSpec.Preempt(
                        random.nextInt(4) == 0
                                ? 6_000
                                : 60_000, // enough to save: else srtf undoes its own work for ever
                        random.nextInt(4) == 0 ? 45_000 : 0,
                        random.nextInt(4) == 0 ? 1 : Job.UNLIMITED_PREEMPTIONS,
                        "requeue"),
                new JobSpec.Checkpoint("TERM", "checkpoints", random.nextInt(3) == 0 ? 20_000 : 0),
                after,
                array,
                1,
                Map.of("SEED", Integer.toString(random.nextInt(100))),
                List.of(),
                "",
                "python train.py");
    }

    private static JobSpec inArray(JobSpec like, JobSpec.Array array) {
        return new JobSpec(
                like.name(),
                like.queue(),
                like.jobClass(),
                like.minGpus(),
                like.maxGpus(),
                like.accelerators(),
                like.gpuMemoryMib(),
                like.cpuMilli(),
                like.memoryMib(),
                like.timeMillis(),
                like.limitMillis(),
                like.priority(),
                like.hold(),
                like.locality(),
                like.preempt(),
                like.checkpoint(),
                like.after(),
                array,
                like.ranks(),
                like.env(),
                like.secrets(),
                like.workdir(),
                like.run());
    }
}
