package dev.fermata.live.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How the engine for this machine is to be.
 *
 * @param data the daemon's folder; runs are below it
 * @param gpus {@code auto}, or {@code virtual:N} with an optional {@code :TYPE}
 * @param logs how much of what a job prints is kept
 * @param limits whether to use control groups where they may be used
 * @param killGraceMillis what an attempt that is cancelled has between the polite signal and the end
 * @param stuckMillis how long to try to end a process that cannot be ended before its GPUs are declared broken
 * @param keepDays logs of attempts that ended longer ago are removed
 * @param keepAttempts logs of at most so many ended attempts are kept
 * @param sampling how real GPUs are watched
 */
public record LocalSettings(
        Path data,
        String gpus,
        RunAs runAs,
        Logs logs,
        boolean limits,
        long killGraceMillis,
        long stuckMillis,
        int keepDays,
        int keepAttempts,
        Sampling sampling) {

    /**
     * What is kept of each stream: the first and the last files of about {@code chunkBytes} each. What lies between is dropped.
     */
    public record Logs(int chunkBytes, int firstChunks, int lastChunks) {
        /** About 64 MiB for each of standard output and standard error. */
        public static final Logs DEFAULT = new Logs(4 << 20, 2, 13);
    }

    /**
     * How real GPUs are watched.
     *
     * @param program nvidia-smi, or something that answers like it
     * @param pidsAreOurs whether the pids that it names mean the same here: not in a container with pids of its own
     */
    public record Sampling(String program, long everyMillis, boolean pidsAreOurs) {
        /** How the kernel numbers the first of all pid namespaces. */
        private static final String FIRST_PIDS = "pid:[4026531836]";

        static Sampling ofThisMachine() {
            boolean first;
            try {
                first = Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                        .toString()
                        .equals(FIRST_PIDS);
            } catch (IOException e) {
                first = false;
            }
            return new Sampling("nvidia-smi", 500, first);
        }
    }

    /** The defaults for a data folder. */
    public static LocalSettings in(Path data) {
        return new LocalSettings(
                data.toAbsolutePath().normalize(),
                "auto",
                RunAs.AUTO,
                Logs.DEFAULT,
                true,
                2_000,
                60_000,
                30,
                10_000,
                Sampling.ofThisMachine());
    }

    public LocalSettings gpus(String value) {
        return new LocalSettings(
                data, value, runAs, logs, limits, killGraceMillis, stuckMillis, keepDays, keepAttempts, sampling);
    }

    public LocalSettings runAs(RunAs value) {
        return new LocalSettings(
                data, gpus, value, logs, limits, killGraceMillis, stuckMillis, keepDays, keepAttempts, sampling);
    }

    public LocalSettings logs(Logs value) {
        return new LocalSettings(
                data, gpus, runAs, value, limits, killGraceMillis, stuckMillis, keepDays, keepAttempts, sampling);
    }

    public LocalSettings limits(boolean value) {
        return new LocalSettings(
                data, gpus, runAs, logs, value, killGraceMillis, stuckMillis, keepDays, keepAttempts, sampling);
    }

    public LocalSettings killGraceMillis(long value) {
        return new LocalSettings(data, gpus, runAs, logs, limits, value, stuckMillis, keepDays, keepAttempts, sampling);
    }

    public LocalSettings stuckMillis(long value) {
        return new LocalSettings(
                data, gpus, runAs, logs, limits, killGraceMillis, value, keepDays, keepAttempts, sampling);
    }

    public LocalSettings keep(int days, int attempts) {
        return new LocalSettings(
                data, gpus, runAs, logs, limits, killGraceMillis, stuckMillis, days, attempts, sampling);
    }

    public LocalSettings sampling(Sampling value) {
        return new LocalSettings(
                data, gpus, runAs, logs, limits, killGraceMillis, stuckMillis, keepDays, keepAttempts, value);
    }
}
