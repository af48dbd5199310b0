package dev.fermata.live.spec;

import dev.fermata.core.model.After;
import dev.fermata.core.model.JobClass;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One job as its user asked for it, checked and in base units. This is what the store keeps; a job array is one spec for each
 * of its jobs. It holds secrets in {@link #env}: {@link #redacted} is what anybody is shown.
 *
 * @param run a shell command line, or a whole script that begins with {@code #!}
 * @param workdir where it runs; empty for a folder of its own
 * @param gpuMemoryMib peak memory per GPU, 0 for unknown
 * @param timeMillis the user's estimate of the run time, 0 for none
 * @param limitMillis stopped for good after this run time, 0 for never
 * @param cpuMilli thousandths of a CPU beside each GPU, 0 for no demand
 * @param memoryMib RAM beside each GPU, 0 for no demand
 * @param ranks processes to start, each with its rank; 1 for a job that starts its own, {@link #RANK_PER_GPU} for as many as it
 *     gets GPUs
 * @param secrets names in {@code env} whose values are never shown
 */
public record JobSpec(
        String name,
        String queue,
        JobClass jobClass,
        int minGpus,
        int maxGpus,
        List<String> accelerators,
        int gpuMemoryMib,
        long cpuMilli,
        long memoryMib,
        long timeMillis,
        long limitMillis,
        int priority,
        boolean hold,
        Locality locality,
        Preempt preempt,
        Checkpoint checkpoint,
        List<After> after,
        Array array,
        int ranks,
        Map<String, String> env,
        List<String> secrets,
        String workdir,
        String run) {

    public static final int RANK_PER_GPU = 0;

    /** How near its GPUs should be ({@code node}, {@code rack} or {@code any}) and how long it waits for that; -1 is auto. */
    public record Locality(String want, long waitMillis) {
        public static final Locality ANY = new Locality("any", -1);
    }

    /** @param onPreempt what becomes of it when it is paused: {@code requeue}, {@code hold} or {@code cancel} */
    public record Preempt(long graceMillis, long minRuntimeMillis, int maxTimes, String onPreempt) {}

    /**
     * @param signal the name of the signal that asks it to save and leave: {@code TERM}, {@code USR1}, {@code USR2} or {@code INT}
     * @param dir its checkpoint folder; relative ones are below the job's own folder
     * @param everyMillis it saves by itself this often, 0 for only when asked
     */
    public record Checkpoint(String signal, String dir, long everyMillis) {}

    /** Its place in an array; {@code size} is 0 for a job of no array, {@code atMost} 0 for no limit. */
    public record Array(int index, int size, int atMost) {
        public static final Array NONE = new Array(0, 0, 0);
    }

    public JobSpec {
        accelerators = List.copyOf(accelerators);
        after = List.copyOf(after);
        env = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(env));
        secrets = List.copyOf(secrets);
    }

    /** The same with every secret value replaced. Names that look like secrets count as such, whether declared or not. */
    public JobSpec redacted() {
        Map<String, String> shown = new LinkedHashMap<>();
        env.forEach((key, value) -> shown.put(key, Secrets.hides(key, value, secrets) ? Secrets.HIDDEN : value));
        return with(array, shown);
    }

    /** The same as a job of an array. */
    public JobSpec inArray(Array place) {
        return with(place, env);
    }

    private JobSpec with(Array newArray, Map<String, String> newEnv) {
        return new JobSpec(
                name,
                queue,
                jobClass,
                minGpus,
                maxGpus,
                accelerators,
                gpuMemoryMib,
                cpuMilli,
                memoryMib,
                timeMillis,
                limitMillis,
                priority,
                hold,
                locality,
                preempt,
                checkpoint,
                after,
                newArray,
                ranks,
                newEnv,
                secrets,
                workdir,
                run);
    }
}
