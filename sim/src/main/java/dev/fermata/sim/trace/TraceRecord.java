package dev.fermata.sim.trace;

import dev.fermata.core.model.Job;
import dev.fermata.core.model.JobClass;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One job as a trace states it, whatever its format. Nothing is added: an unnamed model stays unnamed.
 * {@link TraceImporter} turns it into a job.
 *
 * @param id of the trace; empty where it has none
 * @param submitMillis as the trace counts time: since its own zero, or since 1970 where it has dates
 * @param gpuMilli share of each GPU in thousandths; 1000 is a whole one
 * @param durationMillis run time on the reference GPU; 0 where the trace has only {@code iterations} of a {@code model}
 * @param name empty for the id
 * @param model empty where the trace names none
 * @param batch size of a batch, 0 when unknown
 * @param gpuTypes allowed types, empty for any
 * @param gpuMemoryMib peak memory per GPU, {@link #UNKNOWN} for that of the model
 * @param cpuMilli CPUs of the whole job in thousandths
 * @param memoryMib RAM of the whole job
 * @param declaredMillis the user's own estimate, 0 when none was given
 * @param dependencies jobs it waits for: their ids, each with how it must end ({@code 7:success}, {@code :failure},
 *     {@code :any})
 * @param array name of its array in the trace, or empty
 * @param arrayLimit how many of the array may run at once, 0 for any number
 */
public record TraceRecord(
        String id,
        long submitMillis,
        int minGpus,
        int maxGpus,
        int gpuMilli,
        long durationMillis,
        String name,
        String user,
        String queue,
        JobClass jobClass,
        String model,
        int batch,
        List<String> gpuTypes,
        int gpuMemoryMib,
        long cpuMilli,
        long memoryMib,
        long graceMillis,
        long iterations,
        long declaredMillis,
        int priority,
        List<String> dependencies,
        String array,
        int arrayLimit) {
    public static final int UNKNOWN = -1;

    /** The user of a job whose trace names none, as in {@link Job}. */
    public static final String NO_USER = "unknown";

    /** The largest gang that is accepted. */
    public static final int MAX_GPUS = 1_000_000;

    public static final long MAX_CPUS = 1_000_000_000L;
    public static final int MAX_BATCH = 1_000_000_000;
    public static final long MAX_ITERATIONS = 1_000_000_000_000_000L;

    /** Whether each has an id that no other has. */
    public static boolean haveUniqueIds(List<TraceRecord> records) {
        Set<String> seen = new HashSet<>();
        return records.stream().allMatch(record -> !record.id().isBlank() && seen.add(record.id()));
    }

    public static Builder builder(String id, long submitMillis, int gpus, long durationMillis) {
        return new Builder(id, submitMillis, gpus, durationMillis);
    }

    /** Defaults for everything that few traces have. */
    public static final class Builder {
        private final String id;
        private final long submitMillis;
        private final long durationMillis;
        private int minGpus;
        private int maxGpus;
        private int gpuMilli = 1000;
        private String name = "";
        private String user = NO_USER;
        private String queue = "default";
        private JobClass jobClass = JobClass.BATCH;
        private String model = "";
        private int batch;
        private List<String> gpuTypes = List.of();
        private int gpuMemoryMib = UNKNOWN;
        private long cpuMilli;
        private long memoryMib;
        private long graceMillis = Job.DEFAULT_GRACE_MILLIS;
        private long iterations;
        private long declaredMillis;
        private int priority;
        private List<String> dependencies = List.of();
        private String array = "";
        private int arrayLimit;

        private Builder(String id, long submitMillis, int gpus, long durationMillis) {
            this.id = id;
            this.submitMillis = submitMillis;
            this.durationMillis = durationMillis;
            this.minGpus = gpus;
            this.maxGpus = gpus;
        }

        public Builder gpuRange(int min, int max) {
            minGpus = min;
            maxGpus = max;
            return this;
        }

        public Builder gpuMilli(int value) {
            gpuMilli = value;
            return this;
        }

        public Builder name(String value) {
            name = value;
            return this;
        }

        public Builder user(String value) {
            user = value;
            return this;
        }

        public Builder queue(String value) {
            queue = value;
            return this;
        }

        public Builder jobClass(JobClass value) {
            jobClass = value;
            return this;
        }

        public Builder model(String value) {
            model = value;
            return this;
        }

        public Builder batch(int value) {
            batch = value;
            return this;
        }

        public Builder gpuTypes(List<String> value) {
            gpuTypes = value;
            return this;
        }

        public Builder gpuMemoryMib(int value) {
            gpuMemoryMib = value;
            return this;
        }

        public Builder cpuMilli(long value) {
            cpuMilli = value;
            return this;
        }

        public Builder memoryMib(long value) {
            memoryMib = value;
            return this;
        }

        public Builder graceMillis(long value) {
            graceMillis = value;
            return this;
        }

        public Builder iterations(long value) {
            iterations = value;
            return this;
        }

        public Builder declaredMillis(long value) {
            declaredMillis = value;
            return this;
        }

        public Builder priority(int value) {
            priority = value;
            return this;
        }

        public Builder dependencies(List<String> value) {
            dependencies = value;
            return this;
        }

        public Builder array(String name, int limit) {
            array = name;
            arrayLimit = limit;
            return this;
        }

        public TraceRecord build() {
            return new TraceRecord(
                    id,
                    submitMillis,
                    minGpus,
                    maxGpus,
                    gpuMilli,
                    durationMillis,
                    name,
                    user,
                    queue,
                    jobClass,
                    model,
                    batch,
                    gpuTypes,
                    gpuMemoryMib,
                    cpuMilli,
                    memoryMib,
                    graceMillis,
                    iterations,
                    declaredMillis,
                    priority,
                    dependencies,
                    array,
                    arrayLimit);
        }
    }
}
