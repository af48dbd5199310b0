package dev.fermata.cli.option;

import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.ReplayWindow;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that select a history and a part of it, and what policies know of it. */
public final class HistoryOptions {
    @Mixin
    private HistorySource source;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only jobs submitted since: 7d, or 2026-01-31T08:00:00Z (default: all).")
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Only jobs submitted until then, likewise.")
    private @Nullable String until;

    @Option(
            names = "--estimator",
            paramLabel = "E",
            defaultValue = "live",
            description =
                    "What policies know: live (the daemon's own rule), oracle, noisy:SIGMA, declared, history, none (default: ${DEFAULT-VALUE}).")
    public String estimator;

    /** The file that the history is read from; null for a daemon. */
    public @Nullable Path events() {
        return source.events;
    }

    /** The jobs; a history without jobs is an error. */
    public ReplayWindow read(Invocation invocation) {
        Instant now = Instant.now();
        long from = since == null ? Long.MIN_VALUE : parseTime("--since", since, now);
        long to = until == null ? Long.MAX_VALUE : parseTime("--until", until, now);
        if (from > to) {
            throw UserError.invalid("--since (" + since + ") must be before --until (" + until + ")");
        }
        RecordedHistory history = source.read(invocation);
        ReplayWindow window = UserError.wrapInvalid(() -> ReplayWindow.of(history, from, to));
        if (window.completed().isEmpty()) {
            throw UserError.invalid(
                    !history.hasJobs()
                            ? "the history is empty: there is nothing to replay yet. A job for it: fermata submit -- COMMAND"
                            : "no job of that time has completed, so there is nothing to hold a simulation against");
        }
        return window;
    }

    private static long parseTime(String flag, String text, Instant now) {
        if (!text.contains("T")) {
            return now.toEpochMilli() - UserError.wrapInvalid(() -> Quantity.millis(flag, text));
        }
        try {
            return Instant.parse(text).toEpochMilli();
        } catch (DateTimeParseException e) {
            throw UserError.invalid(flag + " (" + text + ") must be a time such as 7d or 2026-01-31T08:00:00Z");
        }
    }
}
