package dev.fermata.cli.remote;

import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata logs}: the output of a job. */
@Command(
        name = "logs",
        description =
                "Show what a job printed, or prints (-f). Its errors go to stderr unless --stdout or --stderr is given.",
        footer = {
            "",
            "On a terminal, control characters of the job are shown, not obeyed; in a pipe every byte comes as it is.",
            "",
            "Examples:",
            "  fermata logs 12",
            "  fermata logs -f 12",
            "  fermata logs 12.1 --tail 50",
            "  fermata logs 12 --stderr > errors.txt"
        })
public final class LogsCommand extends RemoteCommand {
    @Parameters(paramLabel = "JOB", description = "Id of a job, or of one attempt: 12.2.")
    private String id;

    @Option(
            names = {"-f", "--follow"},
            description = "Follow, from attempt to attempt, until the job has ended.")
    private boolean follow;

    @Option(names = "--tail", paramLabel = "N", description = "Only the last N lines.")
    private @Nullable Integer tail;

    @Option(names = "--rank", paramLabel = "N", description = "Of this process of several (default: 0).")
    private @Nullable Integer rank;

    @Option(names = "--attempt", paramLabel = "N", description = "Of this attempt (default: the latest).")
    private @Nullable Integer attempt;

    @Option(names = "--stderr", description = "Only its errors, on stdout.")
    private boolean errors;

    @Option(names = "--stdout", description = "Only its output, without its errors.")
    private boolean outputOnly;

    public LogsCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        JobId job = JobId.parse(id);
        LogStream stream = new LogStream(
                this,
                api,
                new LogStream.LogRange(
                        errors && !outputOnly
                                ? List.of("stderr")
                                : outputOnly && !errors ? List.of("stdout") : List.of("stdout", "stderr"),
                        attempt == null ? job.attempt() : atLeast("--attempt", attempt, 1),
                        rank == null ? -1 : atLeast("--rank", rank, 0),
                        tail == null ? -1 : atLeast("--tail", tail, 0)));
        if (follow) {
            stream.follow(job.job());
        } else {
            JobText now = new JobText(api.get(job.path()));
            if (now.attempt() == 0) {
                String why = now.reasonText();
                printWrapped(now.title() + " has not started, so there is no output yet"
                        + (why.isEmpty() ? "." : ": " + why));
                return ExitCode.OK;
            }
            stream.show(job.job());
        }
        if (invocation.interruption().isRequested()) {
            out().flush();
            return ExitCode.INTERRUPTED;
        }
        return ExitCode.OK;
    }

    private static int atLeast(String flag, int value, int min) {
        if (value < min) {
            throw UserError.invalid(flag + " (" + value + ") must be at least " + min);
        }
        return value;
    }
}
