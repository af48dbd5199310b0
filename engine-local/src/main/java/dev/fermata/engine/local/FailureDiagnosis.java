package dev.fermata.engine.local;

import dev.fermata.live.engine.ExhaustedResource;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last output of an attempt, and what it and the kernel show about the cause of a failure. */
final class FailureDiagnosis {
    private static final Logger LOG = LoggerFactory.getLogger(FailureDiagnosis.class);
    private static final int TAIL_BYTES = 16 * 1024;
    private static final int KILL = 9;
    private static final String WORKER_KILLED = "is killed by signal: Killed";

    private final AttemptLogFiles logs;
    private final Launch launch;
    /** How many processes the kernel had killed for lack of memory when the attempt began. */
    private final long kernelKills = readKernelKills();

    FailureDiagnosis(AttemptLogFiles logs, Launch launch) {
        this.logs = logs;
        this.launch = launch;
    }

    /** The last line on standard error, of the first rank that has one. */
    String lastErrorLine() {
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String line = logs.lastLine(launch.jobId(), launch.attempt(), "stderr", rank);
                if (!line.isEmpty()) {
                    return line;
                }
            }
        } catch (IOException e) {
            LOG.debug("attempt {}.{}: cannot read its output", launch.jobId(), launch.attempt(), e);
        }
        return "";
    }

    /**
     * What a failed attempt ran out of.
     *
     * @param signal that ended it, 0 for none
     * @param groupKills how many of its processes the kernel killed because its control group was full
     */
    ExhaustedResource exhaustedResource(int signal, long groupKills) {
        if (groupKills > 0) {
            return ExhaustedResource.HOST_MEMORY;
        }
        boolean kernel = kernelKills >= 0 && readKernelKills() > kernelKills;
        if (kernel && signal == KILL) {
            return ExhaustedResource.HOST_MEMORY;
        }
        try {
            for (int rank = 0; rank < launch.ranks(); rank++) {
                String end = outputTail(rank);
                ExhaustedResource reported = kernel && end.contains(WORKER_KILLED)
                        ? ExhaustedResource.HOST_MEMORY
                        : OutOfMemoryDetector.detect(end);
                if (reported != ExhaustedResource.NONE) {
                    return reported;
                }
            }
        } catch (IOException e) {
            LOG.debug("attempt {}.{}: cannot read its output", launch.jobId(), launch.attempt(), e);
        }
        return ExhaustedResource.NONE;
    }

    /** Errors go to standard error; programs that write nothing there print them on standard output. */
    private String outputTail(int rank) throws IOException {
        String end = logs.tail(launch.jobId(), launch.attempt(), "stderr", rank, TAIL_BYTES);
        return end.isBlank() ? logs.tail(launch.jobId(), launch.attempt(), "stdout", rank, TAIL_BYTES) : end;
    }

    /** Of the whole machine; -1 where the kernel does not report it. */
    private static long readKernelKills() {
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
