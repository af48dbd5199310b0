package dev.fermata.core.contract;

/** The dominant reason why a job is not running. Names are part of the interface: scripts match on them. */
public enum ReasonCode {
    /** Can never run on this cluster. */
    UNSATISFIABLE,
    /** It is on hold. */
    HELD,
    /** The cluster has too few GPUs for it at present: nodes were removed or lost. */
    NO_NODES,
    /** Its last start failed; it is tried again, a limited number of times. */
    START_FAILED,
    /** The execution engine cannot be reached. */
    ENGINE_UNREACHABLE,
    /** Its dependencies have not ended yet. */
    DEPENDENCY,
    /** Its array is at its limit of running jobs. */
    ARRAY_LIMIT,
    /** Another job with its profile key is being profiled; it waits for that profile, a limited time. */
    PROFILE_PENDING,
    /** Its queue, or one above it, is at its limit. */
    QUEUE_LIMIT,
    /** Other queues have a better claim to the GPUs that are left. */
    QUEUE_SHARE,
    /** Its GPUs are being vacated for it. */
    PREEMPTION_PENDING,
    /** Others go first under this policy. */
    PRIORITY,
    /** Not enough free GPUs. */
    RESOURCES,
    /** Enough free GPUs, but not together as this policy requires them. */
    FRAGMENTED,
    /** Enough free GPUs, but it still waits for closer ones, a limited time. */
    WAITING_FOR_LOCALITY,
    /** GPUs are free, but the CPU or RAM of their nodes is not. */
    HOST_RESOURCES,
    /** No GPU that is open for sharing has enough free memory. */
    MEMORY,
    /** It would delay the job that holds the reservation. */
    RESERVATION,
    /** Others could be preempted for it, but that would cost more than it gains. */
    PREEMPTION_NOT_WORTH_IT,
    /** Not considered yet. */
    NOT_YET_CONSIDERED
}
