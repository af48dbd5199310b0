package dev.fermata.bench.measure;

import dev.fermata.core.policy.Suggestion;
import dev.fermata.sim.workload.Rng;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Small real jobs for a daemon on virtual GPUs, drawn from a seed: submission times and run times.
 *
 * @param queues rules of the queues, as {@code PUT /queues} takes them; empty for none
 */
record LiveWorkload(String name, int gpus, List<ProcessJob> jobs, List<Map<String, Object>> queues) {
    static final List<String> NAMES = List.of("trials", "gangs", "bursts");

    private static final double STEP_SECONDS = 0.1;
    private static final int BURSTS = 6;

    /**
     * One job.
     *
     * @param declared whether its user declares a run time, and by which factor that is wrong; 0 without a declaration
     */
    record ProcessJob(
            long atMillis,
            String name,
            String jobClass,
            String queue,
            int gpus,
            int steps,
            double declared,
            int priority) {
        double seconds() {
            return steps * STEP_SECONDS;
        }

        String command(String script) {
            return "exec python3 '" + script.replace("'", "'\\''") + "' --steps " + steps + " --seconds-per-step "
                    + STEP_SECONDS;
        }
    }

    /**
     * @param seconds over which the jobs arrive
     * @param count of the jobs
     */
    static LiveWorkload named(String name, long seed, int count, double seconds) {
        Rng rng = Rng.stream(seed, NAMES.indexOf(name));
        List<ProcessJob> jobs = new ArrayList<>();
        switch (name) {
            case "trials" -> trials(jobs, rng, count, seconds);
            case "gangs" -> gangs(jobs, rng, count, seconds);
            case "bursts" -> bursts(jobs, rng, count, seconds);
            default ->
                throw new IllegalArgumentException(
                        "--workload (" + name + ") is unknown." + Suggestion.didYouMean(name, NAMES));
        }
        jobs.sort(Comparator.comparingLong(ProcessJob::atMillis));
        return new LiveWorkload(
                name,
                name.equals("gangs") ? 8 : 4,
                List.copyOf(jobs),
                name.equals("bursts")
                        ? List.of(
                                Map.of("path", "research", "guarantee", 2, "limit", 4),
                                Map.of("path", "product", "guarantee", 1, "limit", 3))
                        : List.of());
    }

    /** Long batch jobs of three programs on all GPUs, and a stream of trials between them. */
    private static void trials(List<ProcessJob> jobs, Rng rng, int count, double seconds) {
        int trials = count / 2;
        int batches = count - trials;
        // four GPUs: batch jobs take about two thirds of them and trials a sixth: the rest is for loading and pausing
        double batch = 4 * 0.65 * seconds / batches;
        double trial = 4 * 0.15 * seconds / trials;
        for (int i = 0; i < batches; i++) {
            int program = i % 3;
            long at = i < 6 ? 0 : at(rng.uniform() * seconds * 0.9);
            jobs.add(job(
                    at,
                    "train" + (char) ('a' + program) + "-" + i,
                    "batch",
                    "default",
                    1,
                    batch * (0.4 + 0.6 * program) * spread(rng),
                    0,
                    0));
        }
        for (int i = 0; i < trials; i++) {
            jobs.add(job(
                    at(2 + rng.uniform() * seconds), "probe-" + i, "trial", "default", 1, trial * spread(rng), 0, 0));
        }
    }

    /** Heavy-tailed sizes and gangs of one to four, on eight GPUs. */
    private static void gangs(List<ProcessJob> jobs, Rng rng, int count, double seconds) {
        int[] sizes = {1, 1, 1, 2, 2, 4, 1, 4};
        double[] median = {2, 5, 12, 3, 8, 4, 1, 2};
        double mean = 0;
        for (int k = 0; k < sizes.length; k++) {
            mean += sizes[k] * median[k] / sizes.length;
        }
        double scale = 8 * 0.75 * seconds / (count * mean);
        for (int i = 0; i < count; i++) {
            int k = (int) (rng.uniform() * sizes.length);
            jobs.add(job(
                    at(rng.uniform() * seconds * 0.9),
                    "model" + (char) ('a' + k) + "-" + i,
                    median[k] * scale < 2 ? "trial" : "batch",
                    "default",
                    sizes[k],
                    median[k] * scale * spread(rng),
                    0,
                    0));
        }
    }

    /** Bursts of batch jobs with trials between them, declared times, priorities and two departments. */
    private static void bursts(List<ProcessJob> jobs, Rng rng, int count, double seconds) {
        double[] typical = {1, 3, 9};
        double scale = 4 * 0.75 * seconds / (count * 3.2);
        for (int i = 0; i < count; i++) {
            int k = i % typical.length;
            double burst = Math.floor(rng.uniform() * BURSTS) * seconds / BURSTS;
            double after = rng.uniform() * (k == 0 ? seconds / BURSTS : 2); // trials come while the others run
            jobs.add(job(
                    at(burst + after),
                    "fit" + (char) ('a' + k) + "-" + i,
                    k == 0 ? "trial" : "batch",
                    rng.uniform() < 0.6 ? "research" : "product",
                    1,
                    typical[k] * scale * spread(rng),
                    0.7 + rng.uniform(),
                    i % 10 == 0 ? 1 : 0));
        }
    }

    /** People repeat themselves, more or less. */
    private static double spread(Rng rng) {
        return rng.logNormal(1, 0.25);
    }

    private static long at(double seconds) {
        return Math.round(seconds * 1000);
    }

    private static ProcessJob job(
            long at,
            String name,
            String jobClass,
            String queue,
            int gpus,
            double seconds,
            double declared,
            int priority) {
        return new ProcessJob(
                at,
                name,
                jobClass,
                queue,
                gpus,
                (int) Math.max(4, Math.round(seconds / STEP_SECONDS)),
                declared,
                priority);
    }
}
