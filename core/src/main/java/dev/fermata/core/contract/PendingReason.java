package dev.fermata.core.contract;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The dominant reason why a pending job is not running, with the numbers behind it. One record per {@link ReasonCode}. */
public sealed interface PendingReason {
    long jobId();

    ReasonCode code();

    String message();

    /** When the reason is expected to end; empty when that is not known. */
    default OptionalLong expectedEndMillis() {
        return OptionalLong.empty();
    }

    /** A reason that compares the GPUs that a job needs with the GPUs it could get. */
    sealed interface GpuCounts extends PendingReason {
        int neededGpus();

        int availableGpus();
    }

    /** It can never run: the cluster has at most {@code availableGpus} for it. */
    record Unsatisfiable(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.UNSATISFIABLE;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; this cluster can offer at most " + availableGpus;
        }
    }

    record Held(long jobId) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.HELD;
        }

        @Override
        public String message() {
            return "is on hold";
        }
    }

    /**
     * The cluster has too few GPUs for it at present; it had enough before, and nodes may come back.
     *
     * @param gpuTypes the types that it accepts, in words
     */
    record NoNodes(long jobId, int neededGpus, int availableGpus, String gpuTypes) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.NO_NODES;
        }

        @Override
        public String message() {
            return availableGpus == 0
                    ? "no node with " + gpuTypes + " for it at present"
                    : "needs " + Count.of(neededGpus, "GPU") + "; the cluster has " + availableGpus + " " + gpuTypes
                            + " for it at present";
        }
    }

    /**
     * Its last start failed, and it waits before the next attempt.
     *
     * @param maxFailures after so many failed starts in a row it fails
     */
    record StartFailed(long jobId, int failures, int maxFailures, long retryAtMillis) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.START_FAILED;
        }

        @Override
        public OptionalLong expectedEndMillis() {
            return OptionalLong.of(retryAtMillis);
        }

        @Override
        public String message() {
            return "could not be started (" + Count.of(failures, "failed start") + " in a row, at most " + maxFailures
                    + ")";
        }
    }

    /**
     * Nothing starts while the execution engine cannot be reached.
     *
     * @param cause one line for users
     */
    record EngineUnreachable(long jobId, String cause) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.ENGINE_UNREACHABLE;
        }

        @Override
        public String message() {
            return "nothing starts while the engine cannot be reached: " + cause;
        }
    }

    record DependencyPending(long jobId, int openDependencies, long firstDependency) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.DEPENDENCY;
        }

        @Override
        public String message() {
            return "waits for " + Count.of(openDependencies, "job") + " to end, job " + firstDependency + " first";
        }
    }

    record ArrayLimit(long jobId, int maxRunning, int jobsOnGpus) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.ARRAY_LIMIT;
        }

        @Override
        public String message() {
            return "jobs of its array on GPUs: " + jobsOnGpus + ", at most " + maxRunning + " at once";
        }
    }

    record ProfilePending(long jobId, long profilingJob, long untilMillis) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.PROFILE_PENDING;
        }

        @Override
        public OptionalLong expectedEndMillis() {
            return OptionalLong.of(untilMillis);
        }

        @Override
        public String message() {
            return "waits for the profiling run of job " + profilingJob;
        }
    }

    record QueueLimit(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.QUEUE_LIMIT;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; its queue may use " + availableGpus + " more";
        }
    }

    record QueueShare(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.QUEUE_SHARE;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; the share of its queue has room for " + availableGpus;
        }
    }

    /**
     * Its reserved GPUs are being vacated.
     *
     * @param availableGpus how many of them are vacated
     * @param last the job that may leave last, null when only CPU or RAM is still in use
     */
    record PreemptionPending(
            long jobId,
            int neededGpus,
            int availableGpus,
            @Nullable VacatingJob last) implements GpuCounts {
        /** A job that leaves by itself before its deadline, or is killed then. */
        public record VacatingJob(long id, long killDeadlineMillis) {}

        @Override
        public ReasonCode code() {
            return ReasonCode.PREEMPTION_PENDING;
        }

        @Override
        public OptionalLong expectedEndMillis() {
            return last == null ? OptionalLong.empty() : OptionalLong.of(last.killDeadlineMillis);
        }

        @Override
        public String message() {
            return availableGpus + " of " + Count.of(neededGpus, "GPU") + " free; the rest will be vacated"
                    + (last == null ? "" : " by job " + last.id + " before " + last.killDeadlineMillis / 1000 + " s");
        }
    }

    record Priority(long jobId, int neededGpus, int availableGpus, int jobsAhead) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.PRIORITY;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + ", " + Count.are(availableGpus) + " free, "
                    + Count.of(jobsAhead, "job") + " ahead of it";
        }
    }

    record Resources(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.RESOURCES;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + ", " + Count.are(availableGpus) + " free";
        }
    }

    record Fragmented(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.FRAGMENTED;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + " together; " + Count.are(availableGpus) + " free in all";
        }
    }

    /** @param untilMillis when it accepts GPUs that are farther apart */
    record WaitingForLocality(long jobId, int neededGpus, int availableGpus, long untilMillis) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.WAITING_FOR_LOCALITY;
        }

        @Override
        public OptionalLong expectedEndMillis() {
            return OptionalLong.of(untilMillis);
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; " + Count.are(availableGpus)
                    + " free but farther apart than it accepts before " + untilMillis / 1000 + " s";
        }
    }

    record HostResources(long jobId, int neededGpus, int availableGpus) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.HOST_RESOURCES;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; " + Count.are(availableGpus)
                    + " free, but without enough CPU or RAM";
        }
    }

    /** @param bestGpuFreeMib free memory of the GPU that is least short of it */
    record Memory(long jobId, int neededMib, int bestGpuFreeMib) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.MEMORY;
        }

        @Override
        public String message() {
            return "needs " + neededMib + " MiB per GPU; the best GPU has " + bestGpuFreeMib + " MiB left";
        }
    }

    record Reservation(long jobId, int neededGpus, int availableGpus, long reservedForJob) implements GpuCounts {
        @Override
        public ReasonCode code() {
            return ReasonCode.RESERVATION;
        }

        @Override
        public String message() {
            return "needs " + Count.of(neededGpus, "GPU") + "; starting now would delay job " + reservedForJob;
        }
    }

    /** Gain and cost are job-milliseconds of completion time. */
    record PreemptionNotWorthIt(long jobId, int victims, long gainMillis, long costMillis) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.PREEMPTION_NOT_WORTH_IT;
        }

        @Override
        public String message() {
            return "pausing others for it would cost " + costMillis / 1000 + " s of completion time and gain only "
                    + gainMillis / 1000 + " s";
        }
    }

    record NotYetConsidered(long jobId) implements PendingReason {
        @Override
        public ReasonCode code() {
            return ReasonCode.NOT_YET_CONSIDERED;
        }

        @Override
        public String message() {
            return "waits for the next decision";
        }
    }
}
