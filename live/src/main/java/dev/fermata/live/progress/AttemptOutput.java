package dev.fermata.live.progress;

import dev.fermata.live.profile.RunLength;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The output of one attempt, read for its progress: new bytes of any of its streams go in, how far it is comes out. It reads
 * no file and keeps no output. Not thread-safe.
 */
public final class AttemptOutput {
    private final LineReader reader;
    private final ProgressTracker tracker;
    private final Map<String, OutputLines> streams = new LinkedHashMap<>();

    /**
     * @param arguments the length of the run as its command states it
     * @param own the pattern of the job file, null for none
     * @param learnedTotal the steps of the last run with this command, 0 for unknown
     */
    public AttemptOutput(RunLength arguments, @Nullable UserPattern own, long learnedTotal) {
        reader = new LineReader(own);
        tracker = new ProgressTracker(arguments, learnedTotal);
    }

    /** New bytes of a stream; returns whether they had progress lines. */
    public boolean accept(String stream, byte[] bytes, int length, long nowMillis) {
        reader.beginRound();
        boolean found = false;
        OutputLines lines = streams.computeIfAbsent(stream, name -> new OutputLines());
        for (OutputLines.Line line : lines.split(bytes, length)) {
            ProgressLine progress = reader.read(line);
            if (progress != null) {
                tracker.accept(progress, line.text(), nowMillis);
                found = true;
            }
        }
        return found;
    }

    /** The streams have ended: a last line without an end is one. */
    public void end(long nowMillis) {
        byte[] newline = {'\n'};
        List.copyOf(streams.keySet()).forEach(stream -> accept(stream, newline, 1, nowMillis));
    }

    /** A part of the stream is missing here. */
    public void skip(String stream) {
        streams.computeIfAbsent(stream, name -> new OutputLines()).skip();
    }

    public OutputProgress progress() {
        return tracker.progress();
    }
}
