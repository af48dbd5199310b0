package dev.fermata.live.progress;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the progress lines of one attempt. It remembers which shapes of lines are progress, so that each line meets one
 * pattern, and tries only a few unknown shapes at once.
 */
final class LineReader {
    private static final int MAX_SHAPES = 512;
    /** Unknown shapes that are tried in one round. */
    private static final int MAX_TRIES = 8;

    private static final LineRecognizer NONE = LineRecognizer.of("none", "\0", "\0", (line, m) -> null);

    private final @Nullable UserPattern own;
    private final Map<Long, LineRecognizer> known = new HashMap<>();
    private int tries;

    /** @param own the pattern of the job file: lines that it does not match say nothing */
    LineReader(@Nullable UserPattern own) {
        this.own = own;
    }

    void beginRound() {
        tries = 0;
    }

    @Nullable
    ProgressLine read(OutputLines.Line line) {
        if (own != null) {
            return own.read(line.text());
        }
        LineRecognizer recognizer = known.get(line.shape());
        if (recognizer == null) {
            if (tries++ >= MAX_TRIES) {
                return null;
            }
            if (known.size() >= MAX_SHAPES) {
                known.clear();
            }
            LineRecognizer found = mayCount(line.text()) ? FrameworkLines.find(line.text()) : null;
            recognizer = found == null ? NONE : found;
            known.put(line.shape(), recognizer);
        }
        return recognizer.read(line.text());
    }

    /** Most lines have none of these: prose, tables, tensors. */
    private static boolean mayCount(String line) {
        return line.indexOf('/') >= 0
                || line.contains("tep")
                || line.contains("ter")
                || line.contains("poch")
                || line.contains("STEP")
                || line.contains("EPOCH")
                || line.contains("pdate");
    }
}
