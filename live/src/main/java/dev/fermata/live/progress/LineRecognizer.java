package dev.fermata.live.progress;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Recognises the progress lines of one program or framework.
 *
 * @param hint a text that every such line contains: looking for it is cheaper than the pattern
 * @param reader what a matching line says; null where it says nothing after all
 */
record LineRecognizer(String name, String hint, Pattern pattern, Reader reader) {
    /** What a matching line says. */
    interface Reader {
        @Nullable
        ProgressLine read(String line, Matcher match);
    }

    static LineRecognizer of(String name, String hint, String pattern, Reader reader) {
        return new LineRecognizer(name, hint, Pattern.compile(pattern), reader);
    }

    @Nullable
    ProgressLine read(String line) {
        if (!line.contains(hint)) {
            return null;
        }
        Matcher m = pattern.matcher(line);
        return m.find() ? reader.read(line, m) : null;
    }
}
