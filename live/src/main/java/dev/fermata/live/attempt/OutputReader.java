package dev.fermata.live.attempt;

import dev.fermata.live.engine.JobLogs;
import dev.fermata.live.engine.Launch;
import dev.fermata.live.profile.RunLength;
import dev.fermata.live.progress.AttemptOutput;
import dev.fermata.live.progress.OutputProgress;
import dev.fermata.live.progress.UserPattern;
import dev.fermata.live.spec.JobSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the output of one attempt for its progress, wherever its engine keeps it. It reads both streams of the first and the last rank,
 * a bounded part of them now and then. Without progress lines it reads less and less often. Not thread-safe.
 */
final class OutputReader {
    private static final Logger LOG = LoggerFactory.getLogger(OutputReader.class);
    /** The most that is read of a stream at once. Of more, the last part is read. */
    private static final int MAX_READ_BYTES = 64 * 1024;

    private static final long POLL_MILLIS = 1_000;
    private static final long MAX_POLL_MILLIS = 8_000;
    /** After so many rounds without progress lines the interval grows. */
    private static final int PATIENCE = 30;

    private final JobLogs logs;
    private final Launch launch;
    private final AttemptOutput output;
    private final List<Stream> streams = new ArrayList<>();
    private final byte[] buffer = new byte[MAX_READ_BYTES];
    private long dueMillis;
    private int silentRounds;
    private OutputProgress reported = OutputProgress.NONE;

    /** One stream of one rank, and how far it is read. */
    private static final class Stream {
        private final String name;
        private final int rank;
        private JobLogs.@Nullable LogOutput open;
        private long offset;

        Stream(String name, int rank) {
            this.name = name;
            this.rank = rank;
        }
    }

    OutputReader(JobLogs logs, Launch launch) {
        this.logs = logs;
        this.launch = launch;
        JobSpec.ProgressSpec own = launch.spec().command().progress();
        output = new AttemptOutput(
                RunLength.of(launch.spec().run()),
                own.pattern().isEmpty() ? null : new UserPattern(own.pattern(), own.total()),
                own.pattern().isEmpty() ? own.total() : 0);
        for (int rank : launch.ranks() > 1 ? new int[] {0, launch.ranks() - 1} : new int[] {0}) {
            streams.add(new Stream("stderr", rank));
            streams.add(new Stream("stdout", rank));
        }
    }

    /** The progress, as far as it was read. */
    OutputProgress latest() {
        return output.progress();
    }

    /** Reads what is new if it is time for that; the progress if it changed, else null. */
    @Nullable
    OutputProgress poll(long nowMillis) {
        return nowMillis < dueMillis ? null : read(nowMillis);
    }

    /** Reads the rest: the attempt has ended. */
    @Nullable
    OutputProgress readRest(long nowMillis) {
        readStreams(nowMillis);
        output.end(nowMillis);
        return changed();
    }

    private @Nullable OutputProgress read(long nowMillis) {
        boolean found = readStreams(nowMillis);
        silentRounds = found ? 0 : silentRounds + 1;
        dueMillis = nowMillis + Math.min(MAX_POLL_MILLIS, POLL_MILLIS * (1 + silentRounds / PATIENCE));
        return changed();
    }

    private @Nullable OutputProgress changed() {
        OutputProgress now = output.progress();
        if (now.equals(reported)) {
            return null;
        }
        reported = now;
        return now;
    }

    private boolean readStreams(long nowMillis) {
        boolean found = false;
        for (Stream stream : streams) {
            try {
                found |= read(stream, nowMillis);
            } catch (IOException e) {
                LOG.debug("attempt {}.{}: cannot read its output", launch.jobId(), launch.attempt(), e);
            }
        }
        return found;
    }

    private boolean read(Stream stream, long nowMillis) throws IOException {
        JobLogs.LogOutput from = stream.open;
        if (from == null) {
            Optional<JobLogs.LogOutput> found = logs.open(launch.jobId(), launch.attempt(), stream.name, stream.rank);
            if (found.isEmpty()) {
                return false;
            }
            from = found.get();
            stream.open = from;
        }
        int length = from.read(stream.offset, buffer);
        boolean found = false;
        if (length > 0) {
            found = accept(stream, length, nowMillis);
            length = from.read(stream.offset, buffer);
        }
        if (length <= 0) {
            return found;
        }
        // There is more than one part: what lies between is left out.
        long last = Math.max(stream.offset, from.endOffset() - MAX_READ_BYTES);
        if (last > stream.offset) {
            output.skip(name(stream));
            stream.offset = from.nextAvailable(last);
            length = from.read(stream.offset, buffer);
        }
        return (length > 0 && accept(stream, length, nowMillis)) || found;
    }

    private boolean accept(Stream stream, int length, long nowMillis) {
        stream.offset += length;
        return output.accept(name(stream), buffer, length, nowMillis);
    }

    private static String name(Stream stream) {
        return stream.name + "-" + stream.rank;
    }

    void close() {
        for (Stream stream : streams) {
            try {
                if (stream.open != null) {
                    stream.open.close();
                }
            } catch (IOException e) {
                LOG.debug("attempt {}.{}: cannot close its output", launch.jobId(), launch.attempt(), e);
            }
        }
    }
}
