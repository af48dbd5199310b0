package dev.fermata.core.policy.composed;

import dev.fermata.core.contract.FreeCapacity;
import dev.fermata.core.contract.Horizon;
import dev.fermata.core.contract.JobView;
import dev.fermata.core.contract.PendingReason;
import dev.fermata.core.contract.Plan;
import dev.fermata.core.contract.ReasonCode;
import dev.fermata.core.contract.View;
import dev.fermata.core.model.Demand;
import dev.fermata.core.policy.ranking.LocalityTolerance;
import dev.fermata.core.policy.ranking.RankedJob;
import dev.fermata.core.policy.ranking.RankedJobs;
import dev.fermata.core.policy.ranking.WaitingJobs;

/** Turns "it does not fit" into one reason with numbers. */
public final class PendingReasons {
    private PendingReasons() {}

    /** Why a job that the placement rejected does not fit on what is free now. */
    public static ReasonCode codeFor(JobView job, FreeCapacity capacity) {
        Demand demand = job.job().demand();
        if (maxAvailable(job, capacity) < demand.minGpus()) {
            return missingMib(demand, leastShortGpu(job, capacity), capacity) > 0
                    ? ReasonCode.MEMORY
                    : ReasonCode.RESOURCES;
        }
        return demand.needsHostResources() ? ReasonCode.HOST_RESOURCES : ReasonCode.FRAGMENTED;
    }

    /** The same where jobs may be waiting for a closer place: that is the reason if there are GPUs enough. */
    public static ReasonCode codeFor(JobView job, FreeCapacity capacity, LocalityTolerance tolerance) {
        ReasonCode reason = codeFor(job, capacity);
        return reason == ReasonCode.FRAGMENTED && tolerance.relaxesAtMillis(job) != Plan.NEVER
                ? ReasonCode.WAITING_FOR_LOCALITY
                : reason;
    }

    public static PendingReason forUnfit(JobView job, FreeCapacity capacity) {
        return forUnfit(job, capacity, LocalityTolerance.NONE);
    }

    public static PendingReason forUnfit(JobView job, FreeCapacity capacity, LocalityTolerance tolerance) {
        Demand demand = job.job().demand();
        int needed = demand.minGpus();
        int available = maxAvailable(job, capacity);
        if (available < needed) {
            int gpu = leastShortGpu(job, capacity);
            return missingMib(demand, gpu, capacity) > 0
                    ? new PendingReason.Memory(
                            job.id(), demand.gpuMemoryOn(capacity.topology(), gpu), capacity.freeGpuMemoryMib(gpu))
                    : new PendingReason.Resources(job.id(), needed, available);
        }
        if (demand.needsHostResources()) {
            return new PendingReason.HostResources(job.id(), needed, available);
        }
        long relaxes = tolerance.relaxesAtMillis(job);
        return relaxes == Plan.NEVER
                ? new PendingReason.Fragmented(job.id(), needed, available)
                : new PendingReason.WaitingForLocality(job.id(), needed, available, relaxes);
    }

    /** Other jobs go first. */
    public static PendingReason forPriority(JobView job, FreeCapacity capacity, int jobsAhead) {
        return new PendingReason.Priority(
                job.id(), job.job().demand().minGpus(), maxAvailable(job, capacity), jobsAhead);
    }

    /** It would delay the job that GPUs are reserved for. */
    public static PendingReason forReservation(JobView job, FreeCapacity capacity, long reservedForJob) {
        return new PendingReason.Reservation(
                job.id(), job.job().demand().minGpus(), maxAvailable(job, capacity), reservedForJob);
    }

    /** The GPU open for sharing whose memory is the least short of what the job would hold there; -1 without any. */
    private static int leastShortGpu(JobView job, FreeCapacity capacity) {
        Demand demand = job.job().demand();
        int best = -1;
        for (int type : job.typesByPreference()) {
            for (int gpu = capacity.nextShareable(type, 0); gpu >= 0; gpu = capacity.nextShareable(type, gpu + 1)) {
                int missing = missingMib(demand, gpu, capacity);
                boolean some =
                        capacity.freeGpuMemoryMib(gpu) >= 0; // without the guard more may be reserved than there is
                if (some && missing == 0) {
                    return gpu; // memory is not what is missing; there may be thousands more to look at
                }
                if (some && (best < 0 || missing < missingMib(demand, best, capacity))) {
                    best = gpu;
                }
            }
        }
        return best;
    }

    private static int missingMib(Demand demand, int gpu, FreeCapacity capacity) {
        return gpu < 0 ? 0 : Math.max(0, demand.gpuMemoryOn(capacity.topology(), gpu) - capacity.freeGpuMemoryMib(gpu));
    }

    /** The code of {@link #forHead} alone, to find out whether it is new. */
    static ReasonCode headCode(
            RankedJob entry, WaitingJobs.DemandClass demandClass, FreeCapacity capacity, LocalityTolerance tolerance) {
        return demandClass.weighedPreemption(entry) == null
                ? codeFor(entry.job(), capacity, tolerance)
                : ReasonCode.PREEMPTION_NOT_WORTH_IT;
    }

    /** Why the first of its demand class does not run: a preemption does not pay, or it does not fit on what is free. */
    static PendingReason forHead(
            RankedJob entry, WaitingJobs.DemandClass demandClass, FreeCapacity capacity, LocalityTolerance tolerance) {
        WaitingJobs.WeighedPreemption weighed = demandClass.weighedPreemption(entry);
        return weighed == null
                ? forUnfit(entry.job(), capacity, tolerance)
                : new PendingReason.PreemptionNotWorthIt(
                        entry.job().id(), weighed.victims(), weighed.gainMillis(), weighed.costMillis());
    }

    /** Why it does not run now if it is the first of its demand class; else how many jobs go first. */
    public static PendingReason explain(RankedJobs rankedJobs, View view, JobView job, LocalityTolerance tolerance) {
        RankedJob entry = rankedJobs.entry(job);
        if (entry == null || entry.demandClass() == null) {
            return new PendingReason.NotYetConsidered(job.id());
        }
        if (entry.demandClass().tree().first() == entry) {
            return forHead(entry, entry.demandClass(), view.capacity(), tolerance);
        }
        return forPriority(job, view.capacity(), rankedJobs.waiting().countAhead(entry));
    }

    /** Whether as many GPUs of one type are free as the job needs. */
    public static boolean hasEnoughGpus(JobView job, FreeCapacity capacity) {
        return maxAvailable(job, capacity) >= job.job().demand().minGpus();
    }

    /** Free GPUs of the type that has most of them for this job. */
    public static int maxAvailable(JobView job, FreeCapacity capacity) {
        int max = 0;
        for (int type : job.typesByPreference()) {
            max = Math.max(max, capacity.available(type, Horizon.NOW));
        }
        return max;
    }
}
