package dev.fermata.cli.option;

import dev.fermata.cli.client.ApiClientException;
import dev.fermata.core.text.Quantity;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.RecordedHistoryReader;
import dev.fermata.insight.replay.ReplayWindow;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that select a history and a part of it. */
public final class HistoryOptions {
    @Mixin
    private ConnectionOptions connection;

    @Option(
            names = "--events",
            paramLabel = "FILE",
            description = {
                "The history from a file instead of the daemon:",
                "fermata events --since 30d --limit 1000000 -o json > FILE"
            })
    @Nullable
    public Path events;

    @Option(
            names = "--cluster",
            paramLabel = "SPEC",
            description = "With --events: the cluster it happened on (default: one node with all GPUs named in it).")
    private @Nullable String cluster;

    @Option(
            names = "--was",
            paramLabel = "POLICY",
            completionCandidates = PolicyNames.class,
            description = "The policy that decided (default: the daemon's; with --events: fermata).")
    private @Nullable String was;

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

    /** The jobs; a history without jobs is an error. */
    public ReplayWindow read(Invocation invocation) {
        Instant now = Instant.now();
        long from = since == null ? Long.MIN_VALUE : parseTime("--since", since, now);
        long to = until == null ? Long.MAX_VALUE : parseTime("--until", until, now);
        if (from > to) {
            throw UserError.invalid("--since (" + since + ") must be before --until (" + until + ")");
        }
        if (events == null && cluster != null) {
            throw UserError.invalid("--cluster belongs to --events; a daemon says itself which cluster it has");
        }
        RecordedHistory history = readHistory(invocation);
        ReplayWindow window = UserError.wrapInvalid(() -> ReplayWindow.of(history, from, to));
        if (window.completed().isEmpty()) {
            throw UserError.invalid(
                    !history.hasJobs()
                            ? "the history is empty: there is nothing to replay yet. A job for it: fermata submit -- COMMAND"
                            : "no job of that time has completed, so there is nothing to hold a simulation against");
        }
        return window;
    }

    private RecordedHistory readHistory(Invocation invocation) {
        Optional<String> policy = Optional.ofNullable(was);
        Path file = events;
        if (file != null) {
            String spec = cluster;
            ClusterInput where = spec == null ? null : UserError.wrapInvalid(() -> ClusterInput.parse(spec));
            return RecordedHistoryReader.read(file, where, policy);
        }
        try {
            return DaemonHistoryReader.fetch(
                    connection.open(invocation.environment()), policy, invocation.interruption());
        } catch (ApiClientException problem) {
            throw problem.toUserError();
        }
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
