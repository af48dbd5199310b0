package dev.fermata.live.engine.local;

import dev.fermata.live.engine.Launch;
import dev.fermata.live.engine.Shortage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What an attempt printed last, and what that and the kernel say about how it failed. */
final class LastWords {
    private static final Logger LOG = LoggerFactory.getLogger(LastWords.class);
    private static final int TAIL_BYTES = 16 * 1024;
    private static final int KILL = 9;
    private static final String WORKER_KILLED = "is killed by signal: Killed";

    private final LogFiles logs;
    private final Launch launch;
    /** How many processes the kernel had ended for want of memory when the attempt began. */
    private final long kernelKills = kernelKills();

    LastWords(LogFiles logs, Launch launch) {
        this.logs = logs;
        this.launch = launch;
    }

    /** The last line on standard error, of the first rank that has one. */
    String line() {
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String line = logs.lastLine(launch.jobId(), launch.attempt(), "stderr", rank);
                if (!line.isEmpty()) {
                    return line;
                }
            }
        } catch (IOException e) {
            LOG.debug("job {}.{}: cannot read what it printed", launch.jobId(), launch.attempt(), e);
        }
        return "";
    }

    /**
     * What an attempt that failed ran out of.
     *
     * @param signal that ended it, 0 for none
     * @param groupKills how many of its processes the kernel ended because its control group was full
     */
    Shortage shortage(int signal, long groupKills) {
        if (groupKills > 0) {
            return Shortage.MEMORY;
        }
        boolean kernel = kernelKills >= 0 && kernelKills() > kernelKills;
        if (kernel && signal == KILL) {
            return Shortage.MEMORY;
        }
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String end = end(rank);
                Shortage said = kernel && end.contains(WORKER_KILLED) ? Shortage.MEMORY : OutOfMemory.said(end);
                if (said != Shortage.NONE) {
                    return said;
                }
            }
        } catch (IOException e) {
            LOG.debug("job {}.{}: cannot read what it printed", launch.jobId(), launch.attempt(), e);
        }
        return Shortage.NONE;
    }

    /** Errors go to standard error; programs that write nothing there write them where they write everything. */
    private String end(int rank) throws IOException {
        String end = logs.tail(launch.jobId(), launch.attempt(), "stderr", rank, TAIL_BYTES);
        return end.isBlank() ? logs.tail(launch.jobId(), launch.attempt(), "stdout", rank, TAIL_BYTES) : end;
    }

    /** Of the whole machine; -1 where the kernel does not say. */
    private static long kernelKills() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/vmstat"))) {
                if (line.startsWith("oom_kill ")) {
                    return Long.parseLong(line.substring(9).strip());
                }
            }
        } catch (IOException | NumberFormatException e) {
            LOG.debug("/proc/vmstat cannot be read", e);
        }
        return -1;
    }
}
