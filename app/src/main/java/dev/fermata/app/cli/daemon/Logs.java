package dev.fermata.app.cli.daemon;

import dev.fermata.app.cli.Surroundings;
import dev.fermata.app.cli.Version;
import dev.fermata.app.client.Door;
import dev.fermata.app.exit.Complaint;
import dev.fermata.app.exit.ExitCode;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata logs}: what a job prints. */
@Command(
        name = "logs",
        description =
                "Show what a job printed, or prints (-f). Its errors go to stderr unless one of the two is asked for.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
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
final class Logs extends Verb {
    @Parameters(paramLabel = "JOB", description = "Id of a job, or of one attempt: 12.2.")
    private String id;

    @Option(
            names = {"-f", "--follow"},
            description = "Go on, from attempt to attempt, until the job has ended.")
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

    Logs(Surroundings surroundings) {
        super(surroundings);
    }

    @Override
    int run(Door door) {
        JobId job = JobId.parse(id);
        LogStream stream = new LogStream(
                this,
                door,
                new LogStream.Part(
                        errors && !outputOnly
                                ? List.of("stderr")
                                : outputOnly && !errors ? List.of("stdout") : List.of("stdout", "stderr"),
                        attempt == null ? job.attempt() : atLeast("--attempt", attempt, 1),
                        rank == null ? -1 : atLeast("--rank", rank, 0),
                        tail == null ? -1 : atLeast("--tail", tail, 0)));
        if (follow) {
            stream.follow(job.job());
        } else {
            JobView now = new JobView(door.get(job.path()));
            if (now.attempt() == 0) {
                String why = now.remark();
                say(now.title() + " has not started, so there is no output yet" + (why.isEmpty() ? "." : ": " + why));
                return ExitCode.FINE;
            }
            stream.show(job.job());
        }
        if (surroundings.interruption().asked()) {
            out().flush();
            return ExitCode.INTERRUPTED;
        }
        return ExitCode.FINE;
    }

    private static int atLeast(String flag, int value, int min) {
        if (value < min) {
            throw Complaint.invalid(flag + " (" + value + ") must be at least " + min);
        }
        return value;
    }
}
