package dev.fermata.app.cli;

import dev.fermata.app.cli.daemon.ConnectionOptions;
import dev.fermata.app.client.Problem;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.input.ClusterInput;
import dev.fermata.app.replay.Chronicle;
import dev.fermata.app.replay.ChronicleReader;
import dev.fermata.app.replay.Episode;
import dev.fermata.core.text.Quantity;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which history, and which part of it. */
final class HistoryOptions {
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
    Path events;

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
    String estimator;

    /** The jobs; a history without any is nothing to work on. */
    Episode read(Surroundings surroundings) {
        Instant now = Instant.now();
        long from = since == null ? Long.MIN_VALUE : moment("--since", since, now);
        long to = until == null ? Long.MAX_VALUE : moment("--until", until, now);
        if (from > to) {
            throw Complaint.invalid("--since (" + since + ") must be before --until (" + until + ")");
        }
        if (events == null && cluster != null) {
            throw Complaint.invalid("--cluster belongs to --events; a daemon says itself which cluster it has");
        }
        Chronicle chronicle = chronicle(surroundings);
        Episode episode = Complaint.ifInvalid(() -> Episode.of(chronicle, from, to));
        if (episode.completed().isEmpty()) {
            throw Complaint.invalid(
                    chronicle.lines().isEmpty()
                            ? "the history is empty: there is nothing to replay yet. A job for it: fermata submit -- COMMAND"
                            : "no job of that time has completed, so there is nothing to hold a simulation against");
        }
        return episode;
    }

    private Chronicle chronicle(Surroundings surroundings) {
        Optional<String> policy = Optional.ofNullable(was);
        Path file = events;
        if (file != null) {
            String spec = cluster;
            ClusterInput where = spec == null ? null : Complaint.ifInvalid(() -> ClusterInput.parse(spec));
            return ChronicleReader.read(file, where, policy);
        }
        try {
            return ChronicleReader.from(
                    connection.open(surroundings.environment()), policy, surroundings.interruption());
        } catch (Problem problem) {
            throw problem.complaint();
        }
    }

    private static long moment(String flag, String text, Instant now) {
        if (!text.contains("T")) {
            return now.toEpochMilli() - Complaint.ifInvalid(() -> Quantity.millis(flag, text));
        }
        try {
            return Instant.parse(text).toEpochMilli();
        } catch (DateTimeParseException e) {
            throw Complaint.invalid(flag + " (" + text + ") must be a time such as 7d or 2026-01-31T08:00:00Z");
        }
    }
}
