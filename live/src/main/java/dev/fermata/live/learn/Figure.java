package dev.fermata.live.learn;

import java.util.Locale;

/** Something that is kept of every kind of job. Durations are in milliseconds, unless the name says otherwise. */
public enum Figure {
    START,
    BUILD,
    RESTORE,
    WARMUP,
    LOAD,
    PAUSE,
    SAVE,
    /** 1 where a pause kept the work, 0 where it lost it. */
    KEPT_BY_PAUSE,
    ITERATION_MICROS,
    BUSY_PERMILLE,
    PEAK_MEMORY_MIB,
    /** GPU memory that it had and that was too little. */
    FAILED_MEMORY_MIB,
    SAVED_BYTES,
    CHECKPOINT_EVERY;

    /** What people call it: its name and its unit, such as {@code peakMemoryMib} or {@code pauseMillis}. */
    public String key() {
        StringBuilder key = new StringBuilder();
        for (String word : name().toLowerCase(Locale.ROOT).split("_")) {
            key.append(key.length() == 0 ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
        }
        boolean plain = name().matches(".*_(MICROS|PERMILLE|MIB|BYTES)") || this == KEPT_BY_PAUSE;
        return plain ? key.toString() : key + "Millis";
    }

    /** More than this it cannot be. */
    public long most() {
        return switch (this) {
            case KEPT_BY_PAUSE -> 1;
            case BUSY_PERMILLE -> 1_000;
            case PEAK_MEMORY_MIB, FAILED_MEMORY_MIB -> 16_000_000; // of one GPU
            default -> 1_000_000_000_000_000L;
        };
    }

    /** What an attempt showed of it; negative when nothing. */
    public long of(Measured measured) {
        return switch (this) {
            case START -> measured.startMillis();
            case BUILD -> measured.buildMillis();
            case RESTORE -> measured.restoreMillis();
            case WARMUP -> measured.warmupMillis();
            case LOAD -> measured.loadMillis();
            case PAUSE -> measured.pauseMillis();
            case SAVE -> measured.saveMillis();
            case KEPT_BY_PAUSE -> measured.keptByPause();
            case ITERATION_MICROS -> measured.iterationMicros();
            case BUSY_PERMILLE -> measured.busyPermille();
            case PEAK_MEMORY_MIB -> measured.peakMemoryMib();
            case FAILED_MEMORY_MIB -> Measured.UNKNOWN; // said by its end, not by what it showed
            case SAVED_BYTES -> measured.savedBytes();
            case CHECKPOINT_EVERY -> measured.checkpointEveryMillis();
        };
    }
}
