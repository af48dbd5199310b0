package dev.fermata.live.spec;

import dev.fermata.core.model.Dependency;
import dev.fermata.core.model.JobClass;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One job as requested, checked and in base units. The store keeps it as one flat JSON object; a job array is one spec per job.
 * It holds secrets in {@link #env}; only {@link #redact} may be shown.
 */
public record JobSpec(
        JobLabels labels,
        ResourceSpec resources,
        SchedulingSpec scheduling,
        PreemptSpec preempt,
        CheckpointSpec checkpoint,
        List<Dependency> dependencies,
        ArraySpec array,
        CommandSpec command) {

    public static final int RANK_PER_GPU = 0;
    public static final int RANK_PER_NODE = -1;

    /** Under which name, in which queue and as which class a job is submitted. */
    public record JobLabels(String name, String queue, JobClass jobClass) {}

    /**
     * What a job needs to run.
     *
     * @param gpuMemoryMib peak memory per GPU, 0 for unknown
     * @param cpuMilli thousandths of a CPU per GPU, 0 for no demand
     * @param memoryMib RAM per GPU, 0 for no demand
     * @param splitBatch whether it splits each batch by the shares of its GPUs, so that they may be of several types
     */
    public record ResourceSpec(
            int minGpus,
            int maxGpus,
            List<String> accelerators,
            int gpuMemoryMib,
            long cpuMilli,
            long memoryMib,
            boolean splitBatch) {
        public ResourceSpec {
            accelerators = List.copyOf(accelerators);
        }
    }

    /**
     * When and where a job may start, and for how long it may run.
     *
     * @param timeMillis the user's estimate of the run time, 0 for none
     * @param limitMillis killed after this run time, 0 for never
     */
    public record SchedulingSpec(
            long timeMillis, long limitMillis, int priority, boolean hold, LocalitySpec locality) {}

    /**
     * How far apart its GPUs may be at once ({@code node}, {@code rack} or {@code any}) and how long it waits for closer ones; -1 is
     * auto.
     */
    public record LocalitySpec(String scope, long waitMillis) {
        public static final LocalitySpec DEFAULT = new LocalitySpec("node", -1);

        /** In 0.1.0 the scope was called {@code want}, and {@code any}, its default, did what {@code node} does. */
        static String scopeOfWant(String want) {
            return want.equals("rack") ? "rack" : DEFAULT.scope;
        }
    }

    /** @param onPreempt what follows a preemption: {@code requeue}, {@code hold} or {@code cancel} */
    public record PreemptSpec(
            long graceMillis, long minRuntimeMillis, int maxTimes, String onPreempt, SuspendRule suspend) {
        /** Suspended if it has one CUDA process. */
        public PreemptSpec(long graceMillis, long minRuntimeMillis, int maxTimes, String onPreempt) {
            this(graceMillis, minRuntimeMillis, maxTimes, onPreempt, SuspendRule.AUTO);
        }
    }

    /**
     * How a job saves its work.
     *
     * @param signal the name of the signal to save and exit: {@code TERM}, {@code USR1}, {@code USR2} or {@code INT}
     * @param dir its checkpoint folder; relative ones are below the job's own folder
     * @param intervalMillis it saves by itself this often, 0 for only on request
     */
    public record CheckpointSpec(String signal, String dir, long intervalMillis) {}

    /** Its place in an array; {@code size} is 0 for a job of no array, {@code maxRunning} 0 for no limit. */
    public record ArraySpec(int index, int size, int maxRunning) {
        public static final ArraySpec NONE = new ArraySpec(0, 0, 0);
    }

    /**
     * What a job executes.
     *
     * @param ranks processes to start, each with its rank; 1 for a job that starts its own, {@link #RANK_PER_GPU} or {@link
     *     #RANK_PER_NODE} for one per allocated GPU or node
     * @param secrets names in {@code env} whose values are never shown
     * @param workdir where it runs; empty for a folder of its own
     * @param run a shell command line, or a whole script that begins with {@code #!}
     * @param engine what only some engines can serve
     * @param progress how its output shows its progress
     */
    public record CommandSpec(
            int ranks,
            Map<String, String> env,
            List<String> secrets,
            String workdir,
            String run,
            EngineSpec engine,
            ProgressSpec progress) {
        public CommandSpec {
            env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
            secrets = List.copyOf(secrets);
        }

        CommandSpec withEnv(Map<String, String> other) {
            return new CommandSpec(ranks, other, secrets, workdir, run, engine, progress);
        }

        /** For any engine. */
        public CommandSpec(int ranks, Map<String, String> env, List<String> secrets, String workdir, String run) {
            this(ranks, env, secrets, workdir, run, EngineSpec.NONE, ProgressSpec.NONE);
        }
    }

    /**
     * How the output of a job shows its progress, where it is not recognised by itself.
     *
     * @param pattern a regular expression: its first group is what is done, a second one the total; empty for none
     * @param total units in all, 0 for unknown
     */
    public record ProgressSpec(String pattern, long total) {
        public static final ProgressSpec NONE = new ProgressSpec("", 0);
    }

    public JobSpec {
        dependencies = List.copyOf(dependencies);
    }

    public String name() {
        return labels.name;
    }

    public String queue() {
        return labels.queue;
    }

    /** Without the values of secret variables: an ended job needs them no more. */
    public JobSpec withoutSecrets() {
        Map<String, String> kept = new LinkedHashMap<>();
        command.env()
                .forEach((name, value) -> kept.put(
                        name, SecretRules.isSecret(name, value, command.secrets()) ? SecretRules.MASK : value));
        return kept.equals(command.env())
                ? this
                : new JobSpec(
                        labels, resources, scheduling, preempt, checkpoint, dependencies, array, command.withEnv(kept));
    }

    public JobSpec withJobClass(JobClass other) {
        return new JobSpec(
                new JobLabels(name(), queue(), other),
                resources,
                scheduling,
                preempt,
                checkpoint,
                dependencies,
                array,
                command);
    }

    public JobClass jobClass() {
        return labels.jobClass;
    }

    public int minGpus() {
        return resources.minGpus;
    }

    public int maxGpus() {
        return resources.maxGpus;
    }

    public List<String> accelerators() {
        return resources.accelerators;
    }

    public int gpuMemoryMib() {
        return resources.gpuMemoryMib;
    }

    public long cpuMilli() {
        return resources.cpuMilli;
    }

    public long memoryMib() {
        return resources.memoryMib;
    }

    public boolean splitBatch() {
        return resources.splitBatch;
    }

    public long timeMillis() {
        return scheduling.timeMillis;
    }

    public long limitMillis() {
        return scheduling.limitMillis;
    }

    public int priority() {
        return scheduling.priority;
    }

    public boolean hold() {
        return scheduling.hold;
    }

    public LocalitySpec locality() {
        return scheduling.locality;
    }

    public int ranks() {
        return command.ranks;
    }

    public Map<String, String> env() {
        return command.env;
    }

    public List<String> secrets() {
        return command.secrets;
    }

    public String workdir() {
        return command.workdir;
    }

    public String run() {
        return command.run;
    }

    public EngineSpec engine() {
        return command.engine;
    }

    /** The same with every secret value replaced. Names that look like secrets count as such, whether declared or not. */
    public JobSpec redact() {
        Map<String, String> display = new LinkedHashMap<>();
        env().forEach((key, value) ->
                display.put(key, SecretRules.isSecret(key, value, secrets()) ? SecretRules.MASK : value));
        CommandSpec redacted =
                new CommandSpec(ranks(), display, secrets(), workdir(), run(), engine(), command.progress);
        return new JobSpec(labels, resources, scheduling, preempt, checkpoint, dependencies, array, redacted);
    }

    /** The same as a job of an array. */
    public JobSpec inArray(ArraySpec place) {
        return new JobSpec(labels, resources, scheduling, preempt, checkpoint, dependencies, place, command);
    }
}
