package dev.fermata.live.attempt;

import dev.fermata.live.engine.EngineEvent;
import java.util.Objects;

/** Lines of a report file, as the daemon understands them. */
public final class ReportLines {
    private ReportLines() {}

    public static EngineEvent.JobReport parse(String line) {
        return Objects.requireNonNull(ReportParser.parse(line, Long.MAX_VALUE), line);
    }
}
