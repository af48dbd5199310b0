package dev.fermata.live.attempt;

import dev.fermata.live.engine.ExhaustedResource;

/** What the last output of an attempt and the kernel show about the cause of a failure. */
final class FailureDiagnosis {
    private static final int TAIL_BYTES = 16 * 1024;
    private static final int KILL = 9;
    private static final String WORKER_KILLED = "is killed by signal: Killed";

    private final OutputTail output;
    private final int ranks;

    FailureDiagnosis(OutputTail output, int ranks) {
        this.output = output;
        this.ranks = ranks;
    }

    /** The last line on standard error, of the first rank that has one. */
    String lastErrorLine() {
        for (int rank = 0; rank < ranks; rank++) {
            String line = output.lastLine("stderr", rank);
            if (!line.isEmpty()) {
                return line;
            }
        }
        return "";
    }

    /**
     * What a failed attempt ran out of.
     *
     * @param signal that ended it, 0 for none
     */
    ExhaustedResource exhaustedResource(int signal, AttemptEnd.MemoryKills kills) {
        if (kills.ofAttempt() > 0 || (kills.onMachine() && signal == KILL)) {
            return ExhaustedResource.HOST_MEMORY;
        }
        for (int rank = 0; rank < ranks; rank++) {
            String end = outputTail(rank);
            ExhaustedResource reported = kills.onMachine() && end.contains(WORKER_KILLED)
                    ? ExhaustedResource.HOST_MEMORY
                    : OutOfMemoryDetector.detect(end);
            if (reported != ExhaustedResource.NONE) {
                return reported;
            }
        }
        return ExhaustedResource.NONE;
    }

    /** Errors go to standard error; programs that write nothing there print them on standard output. */
    private String outputTail(int rank) {
        String end = output.tail("stderr", rank, TAIL_BYTES);
        return end.isBlank() ? output.tail("stdout", rank, TAIL_BYTES) : end;
    }
}
