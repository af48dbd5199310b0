package dev.fermata.cli.option;

import dev.fermata.cli.client.ApiClientException;
import dev.fermata.insight.exit.UserError;
import dev.fermata.insight.input.ClusterInput;
import dev.fermata.insight.replay.RecordedHistory;
import dev.fermata.insight.replay.RecordedHistoryReader;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags that select a history: that of a daemon, or one in a file. */
public final class HistorySource {
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

    /** The whole history, whatever it has. */
    public RecordedHistory read(Invocation invocation) {
        if (events == null && cluster != null) {
            throw UserError.invalid("--cluster belongs to --events; a daemon says itself which cluster it has");
        }
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
}
