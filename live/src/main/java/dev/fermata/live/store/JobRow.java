package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import org.jspecify.annotations.Nullable;

/**
 * The current state of a job, live or ended. Times are -1 until they happen.
 *
 * @param spec the {@link dev.fermata.live.spec.JobSpec} as JSON, secrets included: never shown as it is
 */
public record JobRow(long id, RequestColumns request, StatusColumns status, TimeColumns times, String spec) {
    /**
     * What was submitted.
     *
     * @param gpus the most GPUs requested
     * @param arrayId the id of the array's first job, -1 for none
     */
    public record RequestColumns(
            String name,
            String user,
            String queue,
            String jobClass,
            int gpus,
            int priority,
            long arrayId,
            int arrayIndex) {}

    /**
     * The state and what led to it.
     *
     * @param heldGpus the GPUs of the current attempt as {@code 0,1,5}, empty for none
     * @param exitCode of the last attempt that ended
     * @param detail one sentence about its end or its last failure, empty for none
     */
    public record StatusColumns(
            JobState state,
            int attempt,
            int preemptions,
            String heldGpus,
            boolean onHold,
            @Nullable Integer exitCode,
            String detail) {}

    /**
     * Instants and durations.
     *
     * @param sinceMillis when it entered its state
     * @param waitMillis time in the queue up to {@code sinceMillis}
     * @param runMillis time running up to {@code sinceMillis}
     */
    public record TimeColumns(
            long submittedMillis,
            long sinceMillis,
            long firstStartMillis,
            long finishedMillis,
            long waitMillis,
            long runMillis) {}

    public String name() {
        return request.name;
    }

    public String user() {
        return request.user;
    }

    public String queue() {
        return request.queue;
    }

    public String jobClass() {
        return request.jobClass;
    }

    public int gpus() {
        return request.gpus;
    }

    public int priority() {
        return request.priority;
    }

    public long arrayId() {
        return request.arrayId;
    }

    public int arrayIndex() {
        return request.arrayIndex;
    }

    public JobState state() {
        return status.state;
    }

    public int attempt() {
        return status.attempt;
    }

    public int preemptions() {
        return status.preemptions;
    }

    public String heldGpus() {
        return status.heldGpus;
    }

    public boolean onHold() {
        return status.onHold;
    }

    public @Nullable Integer exitCode() {
        return status.exitCode;
    }

    public String detail() {
        return status.detail;
    }

    public long submittedMillis() {
        return times.submittedMillis;
    }

    public long sinceMillis() {
        return times.sinceMillis;
    }

    public long firstStartMillis() {
        return times.firstStartMillis;
    }

    public long finishedMillis() {
        return times.finishedMillis;
    }

    public long waitMillis() {
        return times.waitMillis;
    }

    public long runMillis() {
        return times.runMillis;
    }
}
