package dev.fermata.engine.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The settings of the local engine.
 *
 * @param data the daemon's folder; the folders of attempts are below it
 * @param gpus {@code auto}, or {@code virtual:N} with an optional {@code :TYPE}
 * @param logs how much of a job's output is kept
 * @param containment what bounds a job besides its demand
 * @param sampling how real GPUs are sampled
 */
public record LocalEngineSettings(
        Path data,
        String gpus,
        RunAs runAs,
        LogLimits logs,
        Containment containment,
        KillTimeouts kill,
        RetentionLimits retention,
        GpuSampling sampling) {

    /**
     * How long the end of an attempt may take.
     *
     * @param graceMillis from the first signal of a cancelled attempt to SIGKILL
     * @param stuckMillis from SIGKILL until the GPUs of processes that remain are declared broken
     */
    public record KillTimeouts(long graceMillis, long stuckMillis) {}

    /**
     * Which logs of ended attempts are kept.
     *
     * @param days those that ended within this many days
     * @param attempts at most this many attempts
     * @param bytes at most so much in all
     */
    public record RetentionLimits(int days, int attempts, long bytes) {}

    /**
     * What bounds a job besides its demand.
     *
     * @param controlGroups whether to use control groups where they are available
     * @param defaultMemoryMib RAM of a job that asks for none; {@link #AUTO_MEMORY} leaves some of the machine's to the daemon,
     *     0 sets no limit
     * @param processes processes and threads of a job
     */
    public record Containment(boolean controlGroups, long defaultMemoryMib, int processes) {
        public static final long AUTO_MEMORY = -1;
        public static final Containment DEFAULT = new Containment(true, AUTO_MEMORY, 16_384);
        private static final long MIN_RESERVE_MIB = 1024;

        ControlGroups.DefaultLimits limits(long machineMib) {
            long reserve = Math.min(machineMib / 2, Math.max(MIN_RESERVE_MIB, machineMib / 20));
            return new ControlGroups.DefaultLimits(
                    defaultMemoryMib == AUTO_MEMORY ? machineMib - reserve : defaultMemoryMib, processes);
        }
    }

    /**
     * What is kept of each stream: the first and the last files of about {@code chunkBytes} each. The output between them is dropped.
     */
    public record LogLimits(int chunkBytes, int firstChunks, int lastChunks) {
        /** About 64 MiB for each of standard output and standard error. */
        public static final LogLimits DEFAULT = new LogLimits(4 << 20, 2, 13);
    }

    /**
     * How real GPUs are sampled.
     *
     * @param program nvidia-smi, or a program with the same output
     * @param hostPids whether its pids are valid in the daemon's pid namespace: not in most containers
     */
    public record GpuSampling(String program, long intervalMillis, boolean hostPids) {
        private static final int SEARCH_INTERVALS = 60;
        /** The kernel's name of the initial pid namespace. */
        private static final String HOST_PID_NAMESPACE = "pid:[4026531836]";

        static GpuSampling ofThisMachine() {
            boolean first;
            try {
                first = Files.readSymbolicLink(Path.of("/proc/self/ns/pid"))
                        .toString()
                        .equals(HOST_PID_NAMESPACE);
            } catch (IOException e) {
                first = false;
            }
            return new GpuSampling("nvidia-smi", 500, first);
        }

        /** How often GPUs that have come or gone are looked for. */
        long searchMillis() {
            return SEARCH_INTERVALS * intervalMillis;
        }
    }

    /** The defaults for a data folder. */
    public static LocalEngineSettings forDataFolder(Path data) {
        return new LocalEngineSettings(
                data.toAbsolutePath().normalize(),
                "auto",
                RunAs.AUTO,
                LogLimits.DEFAULT,
                Containment.DEFAULT,
                new KillTimeouts(2_000, 60_000),
                new RetentionLimits(30, 10_000, 64L << 30),
                GpuSampling.ofThisMachine());
    }

    public long killGraceMillis() {
        return kill.graceMillis;
    }

    public long stuckTimeoutMillis() {
        return kill.stuckMillis;
    }

    public LocalEngineSettings gpus(String value) {
        return new LocalEngineSettings(data, value, runAs, logs, containment, kill, retention, sampling);
    }

    public LocalEngineSettings runAs(RunAs value) {
        return new LocalEngineSettings(data, gpus, value, logs, containment, kill, retention, sampling);
    }

    public LocalEngineSettings logs(LogLimits value) {
        return new LocalEngineSettings(data, gpus, runAs, value, containment, kill, retention, sampling);
    }

    public LocalEngineSettings useControlGroups(boolean value) {
        return containment(new Containment(value, containment.defaultMemoryMib, containment.processes));
    }

    public LocalEngineSettings containment(Containment value) {
        return new LocalEngineSettings(data, gpus, runAs, logs, value, kill, retention, sampling);
    }

    public LocalEngineSettings killGraceMillis(long value) {
        return withKill(new KillTimeouts(value, kill.stuckMillis));
    }

    public LocalEngineSettings stuckTimeoutMillis(long value) {
        return withKill(new KillTimeouts(kill.graceMillis, value));
    }

    private LocalEngineSettings withKill(KillTimeouts value) {
        return new LocalEngineSettings(data, gpus, runAs, logs, containment, value, retention, sampling);
    }

    public LocalEngineSettings keep(RetentionLimits limits) {
        return new LocalEngineSettings(data, gpus, runAs, logs, containment, kill, limits, sampling);
    }

    public LocalEngineSettings sampling(GpuSampling value) {
        return new LocalEngineSettings(data, gpus, runAs, logs, containment, kill, retention, value);
    }
}
