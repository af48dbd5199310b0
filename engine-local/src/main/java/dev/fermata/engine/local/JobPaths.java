package dev.fermata.engine.local;

import dev.fermata.live.attempt.SingleLine;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Whether paths of job files can be used on this machine. */
final class JobPaths {
    private JobPaths() {}

    /** Names that this machine's encoding cannot express are not valid paths here. */
    static @Nullable String problem(String field, String text) {
        String shown = field + " (" + SingleLine.of(text, 80) + ")";
        try {
            boolean relative = !text.isEmpty() && !Path.of(text).isAbsolute();
            return relative && field.equals("workdir") ? shown + " must be an absolute path" : null;
        } catch (InvalidPathException e) {
            return shown + " cannot be used as a path here (" + SingleLine.of(e.getReason(), 80)
                    + "). Use other characters, or start the daemon with LC_ALL=C.UTF-8";
        }
    }
}
