package dev.fermata.live.profile;

import java.util.Locale;

/** A metric that every profile has samples of. Durations are in milliseconds unless the name says otherwise. */
public enum ProfileMetric {
    START,
    BUILD,
    RESTORE,
    WARMUP,
    LOAD,
    PREEMPT,
    SAVE,
    /** 1 when a preemption kept the work, 0 when it lost work. */
    KEPT_BY_PREEMPTION,
    ITERATION_MICROS,
    BUSY_PERMILLE,
    PEAK_MEMORY_MIB,
    /** GPU memory of attempts that ran out of it. */
    FAILED_MEMORY_MIB,
    SAVED_BYTES,
    CHECKPOINT_EVERY,
    SUSPEND,
    RESUME,
    /** 1 when it was suspended in place, 0 when its program can never be. */
    CAN_BE_SUSPENDED,

    /** 1 when an attempt showed that it can save; no sample otherwise. */
    CAN_SAVE;

    /** Name and unit for people, such as {@code peakMemoryMib} or {@code preemptMillis}. */
    public String key() {
        StringBuilder key = new StringBuilder();
        for (String word : name().toLowerCase(Locale.ROOT).split("_")) {
            key.append(key.length() == 0 ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        boolean plain = name().matches(".*_(MICROS|PERMILLE|MIB|BYTES)")
                || this == KEPT_BY_PREEMPTION
                || this == CAN_BE_SUSPENDED
                || this == CAN_SAVE;
        return plain ? key.toString() : key + "Millis";
    }

    /** The largest valid value. */
    public long max() {
        return switch (this) {
            case KEPT_BY_PREEMPTION, CAN_BE_SUSPENDED, CAN_SAVE -> 1;
            case BUSY_PERMILLE -> 1_000;
            case PEAK_MEMORY_MIB, FAILED_MEMORY_MIB -> 16_000_000; // of one GPU
            default -> 1_000_000_000_000_000L;
        };
    }

    /** The value that an attempt measured; negative when none. */
    public long of(AttemptMeasurements measured) {
        return switch (this) {
            case START -> measured.startMillis();
            case BUILD -> measured.buildMillis();
            case RESTORE -> measured.restoreMillis();
            case WARMUP -> measured.warmupMillis();
            case LOAD -> measured.loadMillis();
            case PREEMPT -> measured.preemptMillis();
            case SAVE -> measured.saveMillis();
            case KEPT_BY_PREEMPTION -> measured.keptByPreemption();
            case ITERATION_MICROS -> measured.iterationMicros();
            case BUSY_PERMILLE -> measured.busyPermille();
            case PEAK_MEMORY_MIB -> measured.peakMemoryMib();
            case FAILED_MEMORY_MIB -> AttemptMeasurements.UNKNOWN; // known from the exit, not measured
            case SAVED_BYTES -> measured.savedBytes();
            case CHECKPOINT_EVERY -> measured.checkpointEveryMillis();
            case SUSPEND -> measured.suspensions().suspendMillis();
            case RESUME -> measured.suspensions().resumeMillis();
            case CAN_BE_SUSPENDED -> measured.suspensions().canBeSuspended();
            case CAN_SAVE -> measured.canSave() ? 1 : AttemptMeasurements.UNKNOWN;
        };
    }
}
