package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.store.AttemptRow;
import dev.fermata.live.store.JobRow;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The output of an attempt, and on request of the later attempts. */
final class LogStreamSource implements StreamSource {
    private static final int CHUNK = 64 * 1024;
    private static final byte[] NOTHING = {};

    private final ApiPorts ports;
    private final long job;
    private final String stream;
    private final int rank;
    private final boolean follow;
    private final boolean oneAttempt;

    private int attempt;
    private JobLogs.@Nullable LogOutput output;
    private long offset;
    /** Where to stop without follow: output written after the request is not part of the response. */
    private long endOffset;

    LogStreamSource(ApiPorts ports, long job, int attempt, String stream, int rank, boolean follow, boolean fixed) {
        this.ports = ports;
        this.job = job;
        this.attempt = attempt;
        this.stream = stream;
        this.rank = rank;
        this.follow = follow;
        this.oneAttempt = fixed;
    }

    /** @return the offset of the first byte that will be sent */
    long start(JobLogs.LogOutput first, long from, long tailLines) throws IOException {
        output = first;
        endOffset = first.endOffset();
        offset = Math.max(from, first.firstOffset());
        if (tailLines >= 0) {
            offset = Math.max(offset, offsetOfLastLines(first, tailLines));
        }
        return offset;
    }

    @Override
    public byte @Nullable [] next() throws IOException {
        if (output == null && !open()) {
            return jobEnded() ? null : NOTHING;
        }
        // Checked before the read: everything written before the end is then read.
        boolean left = follow && attemptEnded();
        byte[] more = read();
        if (more.length > 0) {
            return more;
        }
        if (!follow) {
            return null;
        }
        if (!left) {
            return NOTHING;
        }
        if (oneAttempt || jobEnded()) {
            return null;
        }
        return nextAttempt();
    }

    @Override
    public byte[] heartbeat() {
        return NOTHING;
    }

    @Override
    public void close() throws IOException {
        if (output != null) {
            output.close();
            output = null;
        }
    }

    private boolean open() throws IOException {
        Optional<JobLogs.LogOutput> found = ports.logs().open(job, attempt, stream, rank);
        found.ifPresent(o -> {
            output = o;
            offset = 0;
        });
        return found.isPresent();
    }

    private byte[] read() throws IOException {
        JobLogs.LogOutput from = output;
        if (from == null) {
            return NOTHING;
        }
        long kept = from.nextAvailable(offset);
        if (kept > offset) {
            long dropped = kept - offset;
            offset = kept;
            return ("\n[fermata: " + dropped + " bytes of output were dropped here]\n").getBytes(UTF_8);
        }
        int want = follow ? CHUNK : (int) Math.min(CHUNK, Math.max(0, endOffset - offset));
        byte[] into = new byte[want];
        int n = want == 0 ? 0 : from.read(offset, into);
        if (n <= 0) {
            return NOTHING;
        }
        offset += n;
        return n == want ? into : Arrays.copyOf(into, n);
    }

    private byte @Nullable [] nextAttempt() throws IOException {
        int latest = ports.reader().job(job).map(JobRow::attempt).orElse(attempt);
        if (latest > attempt) {
            close();
            attempt++;
            offset = 0;
        }
        return NOTHING;
    }

    private boolean attemptEnded() {
        return ports.reader().attempts(job).stream()
                .filter(run -> run.attempt() == attempt)
                .map(AttemptRow::outcome)
                .anyMatch(outcome -> !outcome.isEmpty());
    }

    /** Whether no further attempt can follow. */
    private boolean jobEnded() {
        return ports.reader()
                .job(job)
                .map(row -> row.state().isFinal() && row.attempt() <= attempt)
                .orElse(true);
    }

    /** The offset of the last {@code lines} lines, searched from the end. */
    private long offsetOfLastLines(JobLogs.LogOutput from, long lines) throws IOException {
        long end = from.endOffset();
        if (lines == 0) {
            return end;
        }
        long position = end;
        long found = 0;
        while (position > from.firstOffset()) {
            byte[] block = new byte[(int) Math.min(CHUNK, position - from.firstOffset())];
            position -= block.length;
            int n = from.read(position, block);
            if (n < block.length) {
                // A part was dropped: the rest begins after it.
                return position + block.length;
            }
            for (int i = n - 1; i >= 0; i--) {
                boolean closing = position + i == end - 1;
                if (block[i] == '\n' && !closing && ++found >= lines) {
                    return position + i + 1;
                }
            }
        }
        return from.firstOffset();
    }
}
