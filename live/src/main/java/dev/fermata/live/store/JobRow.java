package dev.fermata.live.store;

import dev.fermata.core.contract.JobState;
import org.jspecify.annotations.Nullable;

/**
 * A job as it stands, live or ended. Times are -1 until they happen.
 *
 * @param gpus GPUs asked for at most
 * @param held the GPUs of the current attempt as {@code 0,1,5}, empty for none
 * @param waitMillis time in the queue up to {@code sinceMillis}, when it last entered its state
 * @param runMillis time running up to {@code sinceMillis}
 * @param onHold whether it was put on hold
 * @param exitCode of the last attempt that ended
 * @param detail one sentence about its end or its last trouble, empty for none
 * @param spec the {@link dev.fermata.live.spec.JobSpec} as JSON, secrets included: never shown as it is
 */
public record JobRow(
        long id,
        String name,
        String user,
        String queue,
        String jobClass,
        int gpus,
        int priority,
        JobState state,
        int attempt,
        int preemptions,
        long submittedMillis,
        long sinceMillis,
        long firstStartMillis,
        long finishedMillis,
        long waitMillis,
        long runMillis,
        String held,
        boolean onHold,
        @Nullable Integer exitCode,
        String detail,
        long arrayId,
        int arrayIndex,
        String spec) {}
