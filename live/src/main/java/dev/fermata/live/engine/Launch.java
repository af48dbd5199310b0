package dev.fermata.live.engine;

import dev.fermata.core.model.Allocation;
import dev.fermata.live.spec.JobSpec;
import java.util.List;

/**
 * Everything an engine needs to start one attempt, or to find it again.
 *
 * @param arrayId the id of the array's first job, -1 for none
 */
public record Launch(
        long jobId,
        int attempt,
        long arrayId,
        String user,
        JobSpec spec,
        Allocation allocation,
        PriorWork prior,
        LearnedLimits learned) {
    /**
     * What earlier attempts of the job did.
     *
     * @param resumed whether work of an earlier attempt was saved
     * @param savedWorkMillis saved work, in milliseconds on the reference GPU
     * @param runMillis how long earlier attempts ran, for the time limit
     * @param process the attempt that started its processes, where these were suspended; 0 for new ones
     * @param onDiskMillis the part of the saved work that is left should its processes be lost
     */
    public record PriorWork(boolean resumed, long savedWorkMillis, long runMillis, int process, long onDiskMillis) {
        /** All of it is on disk. */
        public PriorWork(boolean resumed, long savedWorkMillis, long runMillis, int process) {
            this(resumed, savedWorkMillis, runMillis, process, savedWorkMillis);
        }

        /** Starts new processes. */
        public PriorWork(boolean resumed, long savedWorkMillis, long runMillis) {
            this(resumed, savedWorkMillis, runMillis, 0);
        }

        /** Of a first attempt. */
        public static final PriorWork NONE = new PriorWork(false, 0, 0);
    }

    /**
     * What follows from the job's profile.
     *
     * @param gpuMemoryReservationMib memory of each shared GPU that the attempt may use; 0 when its GPUs are exclusive
     * @param maxLoadMillis the longest load of such jobs, where their scripts report it; 0 for unknown
     * @param batchShares the part of each batch for each GPU of a job that splits its batch; empty for others
     */
    public record LearnedLimits(int gpuMemoryReservationMib, long maxLoadMillis, List<Double> batchShares) {
        public static final LearnedLimits NONE = new LearnedLimits(0, 0, List.of());

        public LearnedLimits {
            batchShares = List.copyOf(batchShares);
        }
    }

    /** The part of each batch for each of its GPUs; empty for a job that does not split its batch. */
    public List<Double> batchShares() {
        return learned.batchShares;
    }

    /** The attempt that started its processes: its own number, or that of an earlier one that was suspended. */
    public int process() {
        return prior.process == 0 ? attempt : prior.process;
    }

    /** Names its processes. */
    public String processName() {
        return jobId + "." + process();
    }

    public boolean resumed() {
        return prior.resumed;
    }

    public long savedWorkMillis() {
        return prior.savedWorkMillis;
    }

    /** Whether it resumes processes that were suspended. */
    public boolean resumesProcesses() {
        return process() != attempt;
    }

    public long earlierRunMillis() {
        return prior.runMillis;
    }

    public int gpuMemoryReservationMib() {
        return learned.gpuMemoryReservationMib;
    }

    public long maxLoadMillis() {
        return learned.maxLoadMillis;
    }

    /** How many processes to start: as many as the job requests, or one per GPU or node. */
    public int ranks() {
        return RankMap.count(spec.ranks(), allocation);
    }

    /** RAM of the whole attempt; 0 for no demand. */
    public long memoryMib() {
        return spec.memoryMib() * allocation.size();
    }

    /** Thousandths of CPUs of the whole attempt; 0 for no demand. */
    public long cpuMilli() {
        return spec.cpuMilli() * allocation.size();
    }
}
