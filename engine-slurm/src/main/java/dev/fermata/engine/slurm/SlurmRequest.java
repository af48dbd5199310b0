package dev.fermata.engine.slurm;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a job of Slurm requests, and since when it might run.
 *
 * @param tasks the ids of the jobs of users that a line stands for: a pending array is one line
 * @param eligibleMillis since when only GPUs keep it from running; -1 while something else does (hold, dependency, a time)
 * @param gpuType as the job names it, empty for any
 * @param cpus of the whole job
 * @param memoryMib of the whole job, 0 where it requests none
 * @param limitMillis 0 for none
 */
record SlurmRequest(
        String name,
        List<String> tasks,
        long eligibleMillis,
        int gpus,
        String gpuType,
        long cpus,
        long memoryMib,
        long limitMillis,
        boolean requeues) {
    /** {@code gpu:2}, {@code gres:gpu:h100:2}, {@code gres/gpu=2}. */
    private static final Pattern GPU = Pattern.compile("\\bgpu(?::([^:=,()]*[^0-9:=,()][^:=,()]*))?[:=](\\d+)");

    private static final Pattern LIMIT = Pattern.compile("(?:(\\d+)-)?(\\d+):(\\d+):(\\d+)");
    private static final Pattern MEMORY = Pattern.compile("\\bmem=([0-9.]+)([KMGT]?)");

    static SlurmRequest of(OneLine job) {
        boolean asksMemory = asks(job.get("MinMemoryNode")) || asks(job.get("MinMemoryCPU"));
        String typed = job.get("TresPerJob") + job.get("TresPerNode") + job.get("TresPerTask");
        Matcher type = GPU.matcher(typed);
        return new SlurmRequest(
                job.get("JobName"),
                tasks(job),
                job.number("EligibleTime", -1) < 0 ? -1 : job.number("EligibleTime", -1) * 1000,
                gpus(job),
                type.find() && type.group(1) != null ? type.group(1) : "",
                job.number("NumCPUs", 0),
                asksMemory ? memoryMib(job.get("TRES") + job.get("ReqTRES")) : 0,
                limitMillis(job.get("TimeLimit")),
                job.number("Requeue", 0) == 1);
    }

    private static boolean asks(String memory) {
        return !memory.isEmpty() && !memory.equals("0");
    }

    /** What it was given, else what it requests. */
    private static int gpus(OneLine job) {
        int given = Math.max(count(job.get("JOB_GRES")), count(job.get("TRES") + "," + job.get("ReqTRES")));
        int whole = Math.max(given, count(job.get("TresPerJob")));
        int nodes = (int) job.number("NumNodes", 1);
        int tasks = (int) job.number("NumTasks", 1);
        return whole > 0
                ? whole
                : Math.max(nodes * count(job.get("TresPerNode")), tasks * count(job.get("TresPerTask")));
    }

    /** GPUs of several types add up; {@code gres/gpu} counts them all again. */
    private static int count(String gres) {
        int typed = 0;
        int untyped = 0;
        Matcher gpu = GPU.matcher(gres);
        while (gpu.find()) {
            int count = Integer.parseInt(gpu.group(2));
            typed += gpu.group(1) == null ? 0 : count;
            untyped = gpu.group(1) == null ? Math.max(untyped, count) : untyped;
        }
        return Math.max(typed, untyped);
    }

    private static List<String> tasks(OneLine job) {
        String array = job.get("ArrayJobId");
        if (array.isEmpty()) {
            return List.of(job.get("JobId"));
        }
        String ids = job.get("ArrayTaskId");
        int throttle = ids.indexOf('%');
        return HostList.expand("[" + (throttle < 0 ? ids : ids.substring(0, throttle)) + "]").stream()
                .map(task -> array + "_" + task)
                .toList();
    }

    private static long memoryMib(String tres) {
        Matcher memory = MEMORY.matcher(tres);
        if (!memory.find()) {
            return 0;
        }
        double value = Double.parseDouble(memory.group(1));
        return Math.round(
                switch (memory.group(2)) {
                    case "K" -> value / 1024;
                    case "G" -> value * 1024;
                    case "T" -> value * 1024 * 1024;
                    default -> value;
                });
    }

    private static long limitMillis(String text) {
        Matcher limit = LIMIT.matcher(text);
        if (!limit.matches()) {
            return 0;
        }
        long days = limit.group(1) == null ? 0 : Long.parseLong(limit.group(1));
        long minutes = (days * 24 + Long.parseLong(limit.group(2))) * 60 + Long.parseLong(limit.group(3));
        return (minutes * 60 + Long.parseLong(limit.group(4))) * 1000;
    }
}
