package dev.fermata.cli.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.fermata.cli.client.ApiClientException;
import dev.fermata.cli.client.DaemonClient;
import dev.fermata.cli.input.ParsedJobFile;
import dev.fermata.cli.option.Invocation;
import dev.fermata.insight.exit.ExitCode;
import dev.fermata.insight.exit.UserError;
import dev.fermata.report.text.TerminalText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code fermata submit}: submits a job file, a script or a command. */
@Command(
        name = "submit",
        description =
                "Submit a job: a job file (YAML or JSON), a script (#SBATCH lines are read), or a command behind --.",
        footer = {
            "",
            "A command or script runs in the current folder and finds the search paths of your shell (PATH and the like);",
            "other variables go with it by --env. Flags win over what a file says; they stand before the name of a script, since",
            "all that follows it is the script's. With -o id only the id is printed.",
            "",
            "Examples:",
            "  fermata submit --gpus 2 -- python train.py --epochs 10",
            "  fermata submit --class trial --follow -- python try.py",
            "  fermata submit job.yaml --dry-run",
            "  fermata submit --gpus 1 slurm-job.sh 0.1 --seed 7",
            "  fermata submit --wait -o id job.yaml"
        })
public final class SubmitCommand extends RemoteCommand {
    static final List<String> SEARCH_PATHS =
            List.of("PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX");

    @Parameters(
            arity = "0..*",
            parameterConsumer = ScriptArguments.class,
            paramLabel = "FILE | -- COMMAND",
            description = "A job file, a script with its arguments (- for standard input), or a command behind --.")
    private @Nullable List<String> words;

    @Mixin
    private JobFlags flags;

    @Option(
            names = "--dry-run",
            description = "Show where and when it would start and which jobs it would pause; change nothing.")
    private boolean dryRun;

    @Option(names = "--wait", description = "Wait for its end; the exit code is 0 if it completed, else 1.")
    private boolean wait;

    @Option(names = "--follow", description = "Show its output until it ends; exit code as with --wait.")
    private boolean follow;

    @Option(
            names = "--idempotency-key",
            paramLabel = "KEY",
            description = "Submitting again with the same key gives the same job, not a second one.")
    private @Nullable String key;

    private Optional<JobSource> source = Optional.empty();

    public SubmitCommand(Invocation invocation) {
        super(invocation);
    }

    @Override
    int run(DaemonClient api) {
        if (!output.onlyIds()) {
            output.format(); // refused before anything is submitted
        }
        JobSource found = source(this, words);
        source = Optional.of(found);
        ObjectNode job = jobDocument(this, found, flags);
        if (dryRun) {
            return new DryRunText(this).print(api.post("jobs?dryRun=true", job, Map.of()));
        }
        JsonNode answer = api.post(
                "jobs",
                job,
                Map.of("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key));
        List<Long> ids = new ArrayList<>();
        answer.path("ids").forEach(id -> ids.add(id.asLong()));
        answer.path("warnings")
                .forEach(warning -> err().println("fermata: warning: " + TerminalText.escape(warning.asText())));
        printAccepted(answer, ids);
        printPauseCost(api, ids);
        JobFollower following = new JobFollower(this, api);
        return follow ? following.followOutput(ids) : wait ? following.awaitEnds(ids) : ExitCode.OK;
    }

    /** What a command line names: a file, a script, or a command behind two dashes. */
    static JobSource source(RemoteCommand command, @Nullable List<String> words) {
        List<String> given = words == null ? List.of() : words;
        List<String> typed = command.spec.commandLine().getParseResult().originalArgs();
        int dashes = typed.indexOf("--");
        int behind = dashes < 0 ? 0 : typed.size() - dashes - 1;
        if (dashes >= 0 && behind == given.size()) {
            return JobSource.command(given);
        }
        if (given.isEmpty()) {
            throw UserError.invalid(
                    "nothing to submit. Give a job file or script, or a command behind --:\n  fermata submit --gpus 1 -- python train.py");
        }
        int arguments = given.size() > 1 && given.get(1).equals("--") ? 2 : 1;
        return JobSource.file(
                given.get(0),
                given.subList(arguments, given.size()),
                command.invocation.folder(),
                command.invocation.environment());
    }

    /** The job to submit: the fields of the source, overridden by the flags, with its folder. */
    static ObjectNode jobDocument(RemoteCommand command, JobSource found, JobFlags flags) {
        found.warnings().forEach(warning -> command.err().println("fermata: warning: " + TerminalText.escape(warning)));
        command.err().flush();
        ObjectNode job = found.job();
        flags.applyTo(job, command.invocation.environment());
        setWorkdir(command, job);
        if (found.carriesPaths()) {
            carryPaths(command, job);
        }
        return job;
    }

    /** Without a word about it, a job runs where it was submitted, as it would by hand. */
    private static void setWorkdir(RemoteCommand command, ObjectNode job) {
        String text = job.path("workdir").asText("");
        if (text.equals("none")) {
            job.remove("workdir");
            return;
        }
        Path here = command.invocation.folder().toAbsolutePath().normalize();
        job.put("workdir", here.resolve(text).normalize().toString());
    }

    private static void carryPaths(RemoteCommand command, ObjectNode job) {
        for (String name : SEARCH_PATHS) {
            String value = command.invocation.environment().getOrDefault(name, "");
            if (!value.isEmpty() && !job.path("env").has(name)) {
                job.withObjectProperty("env").put(name, value);
            }
        }
    }

    /** Says where a pause would cost work; the user may know the program better. */
    private void printPauseCost(DaemonClient api, List<Long> ids) {
        if (output.onlyIds() || !isHumanReadable() || output.quiet || follow || wait || ids.isEmpty()) {
            return;
        }
        String cost;
        try {
            cost = PauseText.of(api.get(JobId.path(ids.get(0)) + "/explain").path("evidence"));
        } catch (ApiClientException | UserError e) {
            return; // the job is accepted: this was only advice
        }
        if (cost.startsWith("would")) {
            printWrapped("A pause " + cost + " on a signal. It is paused only where that pays; --preempt never"
                    + " rules it out.");
        }
    }

    private void printAccepted(JsonNode answer, List<Long> ids) {
        if (output.onlyIds()) {
            ids.forEach(out()::println);
        } else if (!isHumanReadable()) {
            write(answer);
        } else if (ids.size() == 1) {
            long id = ids.get(0);
            printWrapped("Job " + id + " is accepted.");
            if (!follow && !wait) {
                printWrapped(
                        "  fermata logs -f " + id + "    what it prints",
                        "  fermata explain " + id + "    why it waits, or where it is",
                        "  fermata cancel " + id);
            }
        } else {
            long first = ids.get(0);
            printWrapped("Jobs " + first + " to " + ids.get(ids.size() - 1) + " are accepted (an array of " + ids.size()
                    + ").");
            if (!follow && !wait) {
                printWrapped(
                        "  fermata ls --array " + first + "      their states",
                        "  fermata logs -f " + first + "        what the first prints");
            }
        }
        out().flush();
    }

    /** Where a file is at fault, its line is named. */
    @Override
    UserError toUserError(ApiClientException problem) {
        Optional<ParsedJobFile> file = source.flatMap(JobSource::file);
        if (problem.fields().isEmpty() || file.isEmpty()) {
            return super.toUserError(problem);
        }
        List<String> lines = new ArrayList<>();
        for (ApiClientException.InvalidField field : problem.fields()) {
            lines.add(
                    file.get().location(field.name()).map(place -> place + ": ").orElse("") + field.message());
        }
        return UserError.invalid(String.join("\n", lines), problem);
    }
}
