package dev.fermata.core.contract;

/** The dominant reason why a job is not running. Names are part of the interface: scripts match on them. */
public enum Reason {
    /** Can never run on this cluster. */
    UNSATISFIABLE,
    /** Somebody put it on hold. */
    HELD,
    /** Jobs that it comes after have not ended yet. */
    DEPENDENCY,
    /** As many jobs of its array are on GPUs as may be at once. */
    ARRAY_LIMIT,
    /** Another job of its kind shows what such jobs need; it waits for that, a while at most. */
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
    /** Enough free GPUs, but not together as this policy wants them. */
    FRAGMENTED,
    /** Enough free GPUs, but it still waits for closer ones; in a while it will take these. */
    WAITING_FOR_LOCALITY,
    /** GPUs are free, but CPU or RAM beside them is not. */
    HOST_RESOURCES,
    /** No GPU has enough free memory beside the jobs on it. */
    MEMORY,
    /** It would delay the job that holds the reservation. */
    RESERVATION,
    /** Others could be paused for it, but that would cost more than it gains. */
    PREEMPTION_NOT_WORTH_IT,
    /** Not looked at yet. */
    NOT_YET_CONSIDERED
}
