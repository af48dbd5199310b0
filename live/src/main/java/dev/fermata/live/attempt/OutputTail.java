package dev.fermata.live.attempt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The last output of an attempt, from wherever its engine keeps it. An unreadable output counts as empty. */
final class OutputTail {
    private static final Logger LOG = LoggerFactory.getLogger(OutputTail.class);
    private static final int LINE_BYTES = 8 * 1024;
    private static final int MAX_LINE = 200;

    private final JobLogs logs;
    private final Launch launch;

    OutputTail(JobLogs logs, Launch launch) {
        this.logs = logs;
        this.launch = launch;
    }

    /** The last non-blank line, for messages; empty for none. */
    String lastLine(String stream, int rank) {
        String[] lines = tail(stream, rank, LINE_BYTES).split("[\\r\\n]+");
        for (int i = lines.length - 1; i >= 0; i--) {
            String line = SingleLine.of(lines[i], MAX_LINE);
            if (!line.isEmpty()) {
                return line;
            }
        }
        return "";
    }

    /** At most this many bytes from the end; empty when there is no such output. */
    String tail(String stream, int rank, int bytes) {
        try {
            Optional<JobLogs.LogOutput> found = logs.open(launch.jobId(), launch.attempt(), stream, rank);
            if (found.isEmpty()) {
                return "";
            }
            try (JobLogs.LogOutput output = found.get()) {
                return tail(output, bytes);
            }
        } catch (IOException e) {
            LOG.debug("attempt {}.{}: cannot read its output", launch.jobId(), launch.attempt(), e);
            return "";
        }
    }

    private static String tail(JobLogs.LogOutput output, int bytes) throws IOException {
        byte[] end = new byte[bytes];
        long from = output.nextAvailable(Math.max(0, output.endOffset() - bytes));
        int size = 0;
        byte[] part = new byte[bytes];
        for (int read = output.read(from, part); read > 0 && size < bytes; read = output.read(from + size, part)) {
            int take = Math.min(read, bytes - size);
            System.arraycopy(part, 0, end, size, take);
            size += take;
        }
        return new String(end, 0, size, UTF_8);
    }
}
