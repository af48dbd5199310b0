package dev.fermata.live.api;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.store.JobRow;
import dev.fermata.live.store.RunRow;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The output of an attempt, and where that is wanted of those after it. */
final class LogFeed implements Feed {
    private static final int CHUNK = 64 * 1024;
    private static final byte[] NOTHING = {};

    private final ApiPorts ports;
    private final long job;
    private final String stream;
    private final int rank;
    private final boolean follow;
    private final boolean fixed;

    private int attempt;
    private JobLogs.@Nullable Output output;
    private long offset;
    /** Where to stop when nothing is followed: what is written after the question is not part of the answer. */
    private long until;

    LogFeed(ApiPorts ports, long job, int attempt, String stream, int rank, boolean follow, boolean fixed) {
        this.ports = ports;
        this.job = job;
        this.attempt = attempt;
        this.stream = stream;
        this.rank = rank;
        this.follow = follow;
        this.fixed = fixed;
    }

    /** @return the offset of the first byte that will be sent */
    long begin(JobLogs.Output first, long from, long tailLines) throws IOException {
        output = first;
        until = first.end();
        offset = Math.max(from, first.begin());
        if (tailLines >= 0) {
            offset = Math.max(offset, lastLines(first, tailLines));
        }
        return offset;
    }

    @Override
    public byte @Nullable [] next() throws IOException {
        if (output == null && !open()) {
            return over() ? null : NOTHING;
        }
        // Asked before reading: what was written before it left is then surely read.
        boolean left = follow && left();
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
        if (fixed || over()) {
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
        Optional<JobLogs.Output> found = ports.logs().open(job, attempt, stream, rank);
        found.ifPresent(o -> {
            output = o;
            offset = 0;
        });
        return found.isPresent();
    }

    private byte[] read() throws IOException {
        JobLogs.Output from = output;
        if (from == null) {
            return NOTHING;
        }
        long kept = from.kept(offset);
        if (kept > offset) {
            long dropped = kept - offset;
            offset = kept;
            return ("\n[fermata: " + dropped + " bytes of output were dropped here]\n").getBytes(UTF_8);
        }
        int want = follow ? CHUNK : (int) Math.min(CHUNK, Math.max(0, until - offset));
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

    private boolean left() {
        return ports.reader().runs(job).stream()
                .filter(run -> run.attempt() == attempt)
                .map(RunRow::outcome)
                .anyMatch(outcome -> !outcome.isEmpty());
    }

    /** Whether there will never be another attempt. */
    private boolean over() {
        return ports.reader()
                .job(job)
                .map(row -> row.state().isFinal() && row.attempt() <= attempt)
                .orElse(true);
    }

    /** Where the last so many lines begin, looked for from the end. */
    private long lastLines(JobLogs.Output from, long lines) throws IOException {
        long end = from.end();
        if (lines == 0) {
            return end;
        }
        long position = end;
        long found = 0;
        while (position > from.begin()) {
            byte[] block = new byte[(int) Math.min(CHUNK, position - from.begin())];
            position -= block.length;
            int n = from.read(position, block);
            if (n < block.length) {
                // A part of it was dropped: what is left begins behind that.
                return position + block.length;
            }
            for (int i = n - 1; i >= 0; i--) {
                boolean closing = position + i == end - 1;
                if (block[i] == '\n' && !closing && ++found >= lines) {
                    return position + i + 1;
                }
            }
        }
        return from.begin();
    }
}
